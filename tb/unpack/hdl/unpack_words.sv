// SPDX-License-Identifier: Apache-2.0
//
// 32 slots of 19 and 13 bits as 32 words, 0 where none is written. One concatenation: Icarus
// resolves a vector whose parts are driven separately bit by bit; and Verilator makes it where a
// record is made and nowhere else.
`timescale 1ns / 1ps
`default_nettype none

module unpack_words (
  input  wire logic [31:0]   mask_i,
  input  wire logic [607:0]  data_i,
  input  wire logic [415:0]  high_i,
  output wire logic [1023:0] words_o
);

  assign words_o = {
    mask_i[31] ? {high_i[415:403], data_i[607:589]} : 32'd0,
    mask_i[30] ? {high_i[402:390], data_i[588:570]} : 32'd0,
    mask_i[29] ? {high_i[389:377], data_i[569:551]} : 32'd0,
    mask_i[28] ? {high_i[376:364], data_i[550:532]} : 32'd0,
    mask_i[27] ? {high_i[363:351], data_i[531:513]} : 32'd0,
    mask_i[26] ? {high_i[350:338], data_i[512:494]} : 32'd0,
    mask_i[25] ? {high_i[337:325], data_i[493:475]} : 32'd0,
    mask_i[24] ? {high_i[324:312], data_i[474:456]} : 32'd0,
    mask_i[23] ? {high_i[311:299], data_i[455:437]} : 32'd0,
    mask_i[22] ? {high_i[298:286], data_i[436:418]} : 32'd0,
    mask_i[21] ? {high_i[285:273], data_i[417:399]} : 32'd0,
    mask_i[20] ? {high_i[272:260], data_i[398:380]} : 32'd0,
    mask_i[19] ? {high_i[259:247], data_i[379:361]} : 32'd0,
    mask_i[18] ? {high_i[246:234], data_i[360:342]} : 32'd0,
    mask_i[17] ? {high_i[233:221], data_i[341:323]} : 32'd0,
    mask_i[16] ? {high_i[220:208], data_i[322:304]} : 32'd0,
    mask_i[15] ? {high_i[207:195], data_i[303:285]} : 32'd0,
    mask_i[14] ? {high_i[194:182], data_i[284:266]} : 32'd0,
    mask_i[13] ? {high_i[181:169], data_i[265:247]} : 32'd0,
    mask_i[12] ? {high_i[168:156], data_i[246:228]} : 32'd0,
    mask_i[11] ? {high_i[155:143], data_i[227:209]} : 32'd0,
    mask_i[10] ? {high_i[142:130], data_i[208:190]} : 32'd0,
    mask_i[9] ? {high_i[129:117], data_i[189:171]} : 32'd0,
    mask_i[8] ? {high_i[116:104], data_i[170:152]} : 32'd0,
    mask_i[7] ? {high_i[103:91], data_i[151:133]} : 32'd0,
    mask_i[6] ? {high_i[90:78], data_i[132:114]} : 32'd0,
    mask_i[5] ? {high_i[77:65], data_i[113:95]} : 32'd0,
    mask_i[4] ? {high_i[64:52], data_i[94:76]} : 32'd0,
    mask_i[3] ? {high_i[51:39], data_i[75:57]} : 32'd0,
    mask_i[2] ? {high_i[38:26], data_i[56:38]} : 32'd0,
    mask_i[1] ? {high_i[25:13], data_i[37:19]} : 32'd0,
    mask_i[0] ? {high_i[12:0], data_i[18:0]} : 32'd0
  };

endmodule

`default_nettype wire
