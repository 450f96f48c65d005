// SPDX-License-Identifier: Apache-2.0
//
// Arbitration of everything that the wait gates and the cores' ports compete for (C24): CONFIG and
// SYNC with the requesters thread 0, 1, 2 and the cores; SCALAR, each mutex, each unit with the
// threads.
//
// Latency: combinational; each resource has its own pointer. Requests are by resource, as in
// control_pkg; a thread asks for at most one resource. Reset: thread 0 is first everywhere.
`default_nettype none

module issue_arbiters
  import control_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [15:0]  request_i [3],
  input wire logic         risc_config_i,
  input wire logic         risc_sync_i,
  output wire logic [2:0]  grant_o,         // by thread: its resource
  output wire logic [3:0]  config_grant_o,  // bit 3: the cores
  output wire logic [3:0]  sync_grant_o,
  output wire logic [2:0]  scalar_grant_o,
  output wire logic [2:0]  mutex_grant_o [4],
  output wire logic [2:0]  unit_grant_o [6]
);

  wire logic [2:0] config_request = {
    request_i[2][ResCfgStream] || request_i[2][ResCfgWrite] || request_i[2][ResCfgOther],
    request_i[1][ResCfgStream] || request_i[1][ResCfgWrite] || request_i[1][ResCfgOther],
    request_i[0][ResCfgStream] || request_i[0][ResCfgWrite] || request_i[0][ResCfgOther]
  };

  rr_arbiter #(.Width(4)) u_config (
    .clk_i, .rst_ni, .req_i({risc_config_i, config_request}), .grant_o(config_grant_o)
  );

  rr_arbiter #(.Width(4)) u_sync (
    .clk_i, .rst_ni,
    .req_i({risc_sync_i, request_i[2][ResSync], request_i[1][ResSync], request_i[0][ResSync]}),
    .grant_o(sync_grant_o)
  );

  rr_arbiter #(.Width(3)) u_scalar (
    .clk_i, .rst_ni,
    .req_i({request_i[2][ResScalar], request_i[1][ResScalar], request_i[0][ResScalar]}),
    .grant_o(scalar_grant_o)
  );

  for (genvar m = 0; m < 4; m++) begin : gen_mutex
    rr_arbiter #(.Width(3)) u_mutex (
      .clk_i, .rst_ni,
      .req_i({request_i[2][ResMutex+m], request_i[1][ResMutex+m], request_i[0][ResMutex+m]}),
      .grant_o(mutex_grant_o[m])
    );
  end

  for (genvar u = 0; u < 6; u++) begin : gen_unit
    rr_arbiter #(.Width(3)) u_unit (
      .clk_i, .rst_ni,
      .req_i({request_i[2][ResUnit+u], request_i[1][ResUnit+u], request_i[0][ResUnit+u]}),
      .grant_o(unit_grant_o[u])
    );
  end

  // what is granted last stands last: CONFIG and SCALAR wait for the scalar unit, and that for the
  // config unit
  wire logic [2:0] unit_grant = (unit_grant_o[0] | unit_grant_o[1])
                              | (unit_grant_o[2] | unit_grant_o[3])
                              | (unit_grant_o[4] | unit_grant_o[5]);
  wire logic [2:0] mutex_grant = (mutex_grant_o[0] | mutex_grant_o[1])
                               | (mutex_grant_o[2] | mutex_grant_o[3]);

  assign grant_o = ((unit_grant | mutex_grant) | sync_grant_o[2:0])
                 | (config_grant_o[2:0] | scalar_grant_o);

endmodule

`default_nettype wire
