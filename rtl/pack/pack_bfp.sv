// SPDX-License-Identifier: Apache-2.0
//
// Groups of 16 datums in a block floating point format (P29): of each the greatest exponent, and
// sign and magnitude of 7 bits of each datum, rounded once; narrower formats drop bits of it. The
// lines of other formats pass.
//
// Latency: what comes in c is out in c+2. Handshake: none. Reset: none; valid_i says where there
// is something, next_i of c+1 is valid_i of c.
`default_nettype none

module pack_bfp #(
  parameter int Groups = 1,
  parameter int Width  = 128  // of the lines
) (
  input  wire logic                  clk_i,
  input  wire logic                  valid_i,
  input  wire logic                  next_i,
  input  wire logic                  pass_i,    // with next_i: they are lines
  input  wire logic [256*Groups-1:0] units_i,   // {s, e8, m7}, or {s, e5, m7, 000}
  input  wire logic                  narrow_i,  // the formats with exponents of 5 bits
  input  wire logic                  apart_i,   // Dis_shared_exp_assembler: none is shifted (P31)
  output wire logic [Width-1:0]      lines_o,   // groups: {sign, magnitude} of each datum
  output wire logic [8*Groups-1:0]   exponents_o
);

  function automatic logic [7:0] exponent_of(input logic [7:0] field, input logic narrow);
    exponent_of = narrow ? {3'd0, field[7:3]} : field;
  endfunction

  // of the even and of the odd datums
  function automatic logic [15:0] greatest(input logic [255:0] group, input logic narrow);
    logic [127:0] most;

    for (int k = 0; k < 16; k++) most[8*k+:8] = exponent_of(group[16*k+7+:8], narrow);
    for (int level = 3; level > 0; level--)
      for (int k = 0; k < 8; k++)
        if (k < (1 << level) && most[8*(k+(1<<level))+:8] > most[8*k+:8])
          most[8*k+:8] = most[8*(k+(1<<level))+:8];
    greatest = most[15:0];
  endfunction

  function automatic logic [7:0] datum_of(input logic [15:0] datum, input logic narrow,
                                          input logic [7:0] shared, input logic apart);
    logic [7:0] exponent, distance, significand, rounded;

    exponent = exponent_of(datum[14:7], narrow);
    distance = apart ? 8'd0 : shared - exponent;
    significand = {exponent != 8'd0, narrow ? datum[9:3] : datum[6:0]};
    significand = distance[7:3] != 5'd0 ? 8'd0 : significand >> distance[2:0];
    rounded = {1'b0, significand[7:1]} + {7'd0, significand[0]};
    datum_of = {datum[15], rounded[7] ? 7'd127 : rounded[6:0]};
  endfunction

  function automatic logic [127:0] datums_of(input logic [255:0] group, input logic narrow,
                                             input logic [7:0] shared, input logic apart);
    for (int k = 0; k < 16; k++)
      datums_of[8*k+:8] = datum_of(group[16*k+:16], narrow, shared, apart);
  endfunction

  logic [256*Groups-1:0] units_q;
  logic [16*Groups-1:0] greatest_q;
  logic [8*Groups-1:0] exponents_q;
  logic [Width-1:0] lines_q;
  wire logic [8*Groups-1:0] shared;

  for (genvar g = 0; g < Groups; g++) begin : gen_shared
    wire logic [7:0] even = greatest_q[16*g+:8];
    wire logic [7:0] odd = greatest_q[16*g+8+:8];
    assign shared[8*g+:8] = odd > even ? odd : even;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      units_q <= units_i;
      for (int g = 0; g < Groups; g++)
        greatest_q[16*g+:16] <= greatest(units_i[256*g+:256], narrow_i);
    end
    if (next_i) begin
      if (pass_i) begin
        lines_q <= units_q[Width-1:0];
      end else begin
        for (int g = 0; g < Groups; g++)
          lines_q[128*g+:128]
            <= datums_of(units_q[256*g+:256], narrow_i, shared[8*g+:8], apart_i);
      end
      exponents_q <= shared;
    end
  end

  assign lines_o = lines_q;
  assign exponents_o = exponents_q;

endmodule

`default_nettype wire
