// An adc built another way: tilepath run --block adc --rtl tests/adc/second/second.f --top second_adc
effect_pkg.sv
-y .
second_adc.sv
