// SPDX-License-Identifier: Apache-2.0
//
// 32 slots of 19 and 13 bits as 32 words. One concatenation: Icarus resolves a vector whose parts
// are driven separately bit by bit.
`timescale 1ns / 1ps
`default_nettype none

module unpack_words (
  input  wire logic [607:0]  data_i,
  input  wire logic [415:0]  high_i,
  output wire logic [1023:0] words_o
);

  assign words_o = {
    high_i[415:403], data_i[607:589], high_i[402:390], data_i[588:570],
    high_i[389:377], data_i[569:551], high_i[376:364], data_i[550:532],
    high_i[363:351], data_i[531:513], high_i[350:338], data_i[512:494],
    high_i[337:325], data_i[493:475], high_i[324:312], data_i[474:456],
    high_i[311:299], data_i[455:437], high_i[298:286], data_i[436:418],
    high_i[285:273], data_i[417:399], high_i[272:260], data_i[398:380],
    high_i[259:247], data_i[379:361], high_i[246:234], data_i[360:342],
    high_i[233:221], data_i[341:323], high_i[220:208], data_i[322:304],
    high_i[207:195], data_i[303:285], high_i[194:182], data_i[284:266],
    high_i[181:169], data_i[265:247], high_i[168:156], data_i[246:228],
    high_i[155:143], data_i[227:209], high_i[142:130], data_i[208:190],
    high_i[129:117], data_i[189:171], high_i[116:104], data_i[170:152],
    high_i[103:91], data_i[151:133], high_i[90:78], data_i[132:114],
    high_i[77:65], data_i[113:95], high_i[64:52], data_i[94:76],
    high_i[51:39], data_i[75:57], high_i[38:26], data_i[56:38],
    high_i[25:13], data_i[37:19], high_i[12:0], data_i[18:0]
  };

endmodule

`default_nettype wire
