// SPDX-License-Identifier: Apache-2.0
//
// What a command does to one counter, as a value: two of them, one after the other, are one again.
`default_nettype none

package effect_pkg;

  // An order has one of these and a value for each of the eight counters of its targets:
  // {W1, Z1, Y1, X1, W0, Z0, Y0, X0}, three bits each, and 18.
  localparam logic [2:0] NONE = 3'd0;
  localparam logic [2:0] SET = 3'd1;   // live = checkpoint = value
  localparam logic [2:0] ADD = 3'd2;   // live += value
  localparam logic [2:0] STEP = 3'd3;  // checkpoint += value, live = checkpoint
  localparam logic [2:0] LIVE = 3'd4;  // live = value
  localparam logic [2:0] MARK = 3'd5;  // checkpoint = value

  // live := (old live, or old checkpoint, or 0) + live; checkpoint := (old checkpoint, or 0) + mark
  typedef struct packed {
    logic        from_live;
    logic        from_mark;
    logic        keeps_mark;
    logic [17:0] live;
    logic [17:0] mark;
  } effect_t;

  function automatic effect_t effect_of(input logic [2:0] kind, input logic [17:0] value);
    effect_of.from_live = kind == NONE || kind == ADD || kind == MARK;
    effect_of.from_mark = kind == STEP;
    effect_of.keeps_mark = kind == NONE || kind == ADD || kind == STEP || kind == LIVE;
    effect_of.live = kind == NONE || kind == MARK ? 18'd0 : value;
    effect_of.mark = kind == SET || kind == STEP || kind == MARK ? value : 18'd0;
  endfunction

  // `first`, and then `second`.
  function automatic effect_t joined(input effect_t first, input effect_t second);
    joined.from_live = second.from_live && first.from_live;
    joined.from_mark = (second.from_live && first.from_mark)
      || (second.from_mark && first.keeps_mark);
    joined.keeps_mark = second.keeps_mark && first.keeps_mark;
    joined.live = second.live
      + (second.from_live ? first.live : second.from_mark ? first.mark : 18'd0);
    joined.mark = second.mark + (second.keeps_mark ? first.mark : 18'd0);
  endfunction

endpackage

`default_nettype wire
