# SPDX-License-Identifier: Apache-2.0
"""Writes the HDL that follows from a block's description: its recorder and player modules.

``<block>_rec_<stream>`` has a port ``<field>_i`` for each field (and ``valid_i`` for an event
stream); ``<block>_play_<player>`` presents the player's items. A harness instantiates them with
``Index`` = instance number for streams and players with copies. A stream or player can
name its module itself.
"""

from __future__ import annotations

from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Stream

_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// Made from the description of block {block}; see tb/kernel/description/hdl.py.
`timescale 1ns / 1ps
`default_nettype none
"""

_RECORDER = """
module {module} #(parameter int Index = -1) (
  input wire logic clk_i, input wire logic rst_ni,
  input wire logic [31:0] cycle_i, input wire logic flush_i{ports}
);
  tp_recorder #(
    .Words({words}), .OnChange({on_change}), .Index(Index), .Prefix("{prefix}"), .Stream("{stream}")
  ) u_recorder (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i({valid}), .payload_i({payload})
  );
endmodule
"""

_PLAYER = """
module {module} #(parameter int Index = -1) (
  input wire logic clk_i, input wire logic rst_ni, input wire logic flush_i,{ports}
  output logic valid_o, output logic [{msb}:0] item_o
);
  tp_player #(.Words({words}), .Level({level}), .Index(Index), .Player("{player}")) u_player (
    .clk_i, .rst_ni, .flush_i, .go_i({go}), .done_i({done}), .valid_o, .item_o
  );
endmodule
"""


def _recorder(block: str, stream: Stream) -> str:
    ports = ",\n  input wire logic valid_i" if stream.kind == "event" else ""
    for f in stream.fields:
        ports += f",\n  input wire logic [{f.width - 1}:0] {f.name}_i"
    payload = "{" + ", ".join(_reversed_fields(stream)) + "}" if stream.fields else "32'd0"
    return _RECORDER.format(
        module=stream.module or f"{block}_rec_{stream.name}",
        stream=stream.name,
        prefix=stream.prefix,
        ports=ports,
        words=stream.payload_words,
        on_change=int(stream.kind == "level"),
        valid="valid_i" if stream.kind == "event" else "1'b1",
        payload=payload,
    )


def _reversed_fields(stream: Stream) -> list[str]:
    # the first field is in the lowest bits; padding goes above the field it belongs to
    parts: list[str] = []
    for f in reversed(stream.fields):
        pad = f.words * 32 - f.width
        if pad:
            parts.append(f"{pad}'d0")
        parts.append(f"{f.name}_i")
    return parts


def _player(block: str, player: Player) -> str:
    item = player.kind == "item"
    return _PLAYER.format(
        module=player.module or f"{block}_play_{player.name}",
        player=player.name,
        ports=" input wire logic go_i, input wire logic done_i," if item else "",
        msb=player.words * 32 - 1,
        words=player.words,
        level=int(not item),
        go="go_i" if item else "1'b1",
        done="done_i" if item else "1'b1",
    )


def generated_hdl(block: Block) -> str:
    """SystemVerilog text of all recorder and player modules of ``block``."""
    parts = [_HEADER.format(block=block.name)]
    parts += [_recorder(block.name, s) for s in block.streams]
    parts += [_player(block.name, p) for p in block.players]
    parts.append("\n`default_nettype wire\n")
    return "".join(parts)
