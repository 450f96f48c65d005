`default_nettype none
module dst #(parameter int Reads=0, parameter int Run=0) (
  input wire logic clk_i,
  input wire logic rst_ni,
  input wire logic read_valid_i [4],
  input wire logic [9:0] read_row_i [4],
  input wire logic read_wide_i,
  output wire logic read_grant_o [4],
  output wire logic [255:0] read_high_o [4],
  output wire logic [255:0] read_low_o [4],
  output wire logic read_row_valid_o [4],
  input wire logic write_valid_i,
  input wire logic [9:0] write_row_i,
  input wire logic [3:0] write_count_i,
  input wire logic [143:0] write_mask_i,
  input wire logic [2303:0] write_data_i,
  output wire logic write_ready_o,
  input wire logic zero_valid_i,
  input wire logic zero_all_i,
  input wire logic zero_half_i
);
  assign read_grant_o[0] = '0;
  assign read_grant_o[1] = '0;
  assign read_grant_o[2] = '0;
  assign read_grant_o[3] = '0;
  assign read_high_o[0] = '0;
  assign read_high_o[1] = '0;
  assign read_high_o[2] = '0;
  assign read_high_o[3] = '0;
  assign read_low_o[0] = '0;
  assign read_low_o[1] = '0;
  assign read_low_o[2] = '0;
  assign read_low_o[3] = '0;
  assign read_row_valid_o[0] = '0;
  assign read_row_valid_o[1] = '0;
  assign read_row_valid_o[2] = '0;
  assign read_row_valid_o[3] = '0;
  assign write_ready_o = 1'b1;
endmodule
`default_nettype wire
