# SPDX-License-Identifier: Apache-2.0
"""Writes the HDL that follows from a block's description: its recorder and player modules.

``<block>_rec_<stream>`` has a port ``<field>_i`` for each field, and ``valid_i`` for an event
stream. ``<block>_play_<player>`` has a port ``<field>_o`` for each field. Of an item player they
say what the item is that is presented while ``valid_o``, up to ``done_i``; of a level player they
are what is driven. A harness instantiates both with ``Index`` = instance number for streams and
players with copies. A stream or player can name its module itself.

``tp_profile_pkg`` has the parameters of DUT and harness as the profile of the build has them, for
whatever joins the DUT with something, so that their names stand where the DUT declares them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import Field
from tilepath.engine.description.player import HELD, Player
from tilepath.engine.description.stream import Stream

_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// Made from the description of block {block}; see engine/description/hdl.py.
`timescale 1ns / 1ps
`default_nettype none
"""

_PROFILE = """\
// SPDX-License-Identifier: Apache-2.0
// Made from a block's parameters; see engine/description/hdl.py.
package tp_profile_pkg;
{parameters}endpackage
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

# In a build with waves: where the recorder is, for views of them
_SCOPE = """\
  logic [8*1024-1:0] scopes;
  integer fd;
  initial
    if ($value$plusargs("wave_scopes=%s", scopes)) begin
      fd = $fopen(scopes, "a");
      if (Index < 0) $fdisplay(fd, "{stream} %m");
      else $fdisplay(fd, "{prefix}%0d.{stream} %m", Index);
      $fclose(fd);
    end
endmodule
"""

_PLAYER = """
module {module} #(parameter int Index = -1) (
  input wire logic clk_i, input wire logic rst_ni, input wire logic flush_i{ports}
);
  wire logic valid;
  wire logic [{msb}:0] item;
  tp_player #(.Words({words}), .Level({level}), .Index(Index), .Prefix("{prefix}"),
    .Player("{player}")) u_player (
    .clk_i, .rst_ni, .flush_i, .go_i({go}), .done_i({done}), .valid_o(valid), .item_o(item)
  );
{assigns}endmodule
"""

# In a harness, of a player that nothing refuses an item of
_PLAYED = """\
{loop} begin : play_{name} {module}{index} u_player (
  .clk_i(clk), .rst_ni(rst_n), .flush_i(flush){ports}); end
"""

_HELD = """\
  tp_hold #(.BusyW({busy}), .Counts({counts})) u_hold (
    .clk_i, .rst_ni, .valid_i(valid), .done_i, .busy_i, .count_i, .offered_o(valid_o),
    .idle_i({idle}), .source_i({after_source}), .after_i({after_count}),
    .and_source_i({and_source}), .and_i({and_count})
  );
"""


def recorder_module(block: str, stream: Stream) -> str:
    """Name of the module that records a stream of ``block``."""
    return stream.module or f"{block}_rec_{stream.name}"


def player_module(block: str, player: Player) -> str:
    """Name of the module that plays items of a player of ``block``."""
    return player.module or f"{block}_play_{player.name}"


def _recorder(block: str, stream: Stream, scopes: bool) -> str:
    ports = ",\n  input wire logic valid_i" if stream.kind == "event" else ""
    for f in stream.fields:
        # a vector of one bit has other names in the waves of other simulators
        bits = "" if scopes and f.width * f.count == 1 else f"[{f.width * f.count - 1}:0] "
        ports += f",\n  input wire logic {bits}{f.name}_i"
    payload = "{" + ", ".join(_reversed_fields(stream)) + "}" if stream.fields else "32'd0"
    text = _RECORDER.format(
        module=recorder_module(block, stream),
        stream=stream.name,
        prefix=stream.prefix,
        ports=ports,
        words=stream.payload_words,
        on_change=int(stream.kind == "level"),
        valid="valid_i" if stream.kind == "event" else "1'b1",
        payload=payload,
    )
    if scopes:
        scope = _SCOPE.format(stream=stream.name, prefix=stream.prefix)
        text = text.removesuffix("endmodule\n") + scope
    return text


def _reversed_fields(stream: Stream) -> list[str]:
    # the first field is in the lowest bits; padding goes above the field it belongs to
    parts: list[str] = []
    for f in reversed(stream.fields):
        pad = f.words // f.count * 32 - f.width
        if not pad:
            parts.append(f"{f.name}_i")
            continue
        for number in reversed(range(f.count)):
            value = f"{f.name}_i" if f.count == 1 else f"{f.name}_i[{f.width * number}+:{f.width}]"
            parts += [f"{pad}'d0", value]
    return parts


def _value(player: Player, field: Field) -> str:
    """Return where a field of a player's item is."""
    place, width = player.layout.places[field.name], field.width * field.count
    value = f"item[{32 * place.word + place.low}+:{width}]"
    if field.count > 1 and field.width % 32:  # each value has words of its own
        step = 32 * (field.words // field.count)
        lows = (32 * place.word + step * number for number in reversed(range(field.count)))
        value = "{" + ", ".join(f"item[{low}+:{field.width}]" for low in lows) + "}"
    return value


def _player(block: str, player: Player) -> str:
    level = player.kind == "level"
    ports = ",\n  input wire logic go_i" if player.go else ""
    assigns = ""
    if not level:
        ports += ",\n  input wire logic done_i,\n  output wire logic valid_o"
        assigns += "" if player.hold else "  assign valid_o = valid;\n"
    values = {f.name: _value(player, f) for f in player.fields}
    if player.hold:
        busy, counts = player.hold
        ports += f",\n  input wire logic [{busy - 1}:0] busy_i"
        ports += f",\n  input wire logic [27:0] count_i [{counts}]"
        assigns += _HELD.format(busy=busy, counts=counts, **{name: values[name] for name in HELD})
    for f in player.shown:
        value, width = values[f.name], f.width * f.count
        ports += f",\n  output wire logic [{width - 1}:0] {f.name}_o"
        if level:
            value = f"valid ? {value} : {width}'d{player.rest.get(f.name, 0)}"
        assigns += f"  assign {f.name}_o = {value};\n"
    return _PLAYER.format(
        module=player_module(block, player),
        player=player.name,
        prefix=player.prefix,
        ports=ports,
        assigns=assigns,
        msb=player.words * 32 - 1,
        words=player.words,
        level=int(level),
        go="go_i" if player.go else "1'b1",
        done="1'b1" if level else "done_i",
    )


def players_hdl(block: Block, benches: str) -> str:
    """Write the players of ``block`` whose modules no text of ``benches`` names.

    Nets have the names of ports of the DUT, to be connected by ``.*``: of ``ack`` with a field
    ``pairs`` they are ``ack_valid_i`` and ``ack_pairs_i``. An item is done when it is presented.
    """
    text = ""
    for player in block.players:
        module, name = player_module(block.name, player), player.name
        if re.search(rf"\b{module}\b", benches):
            continue
        own, copies = ("[i]", f" [{player.copies}]") if player.copies else ("", "")
        widths = {f.name: f.width * f.count for f in player.shown}
        ports = ", .busy_i(busy), .count_i(count)" if player.hold else ""
        if player.kind == "item":
            widths["valid"] = 1
            ports += f", .done_i({name}_valid_i{own})"
        for field, width in widths.items():
            bits = f"[{width - 1}:0] " if width > 1 else ""
            text += f"wire logic {bits}{name}_{field}_i{copies};\n"
            ports += f", .{field}_o({name}_{field}_i{own})"
        loop = f"for (genvar i = 0; i < {player.copies}; i++)" if copies else "if (1)"
        index = " #(.Index(i))" if copies else ""
        text += _PLAYED.format(loop=loop, name=name, module=module, index=index, ports=ports)
    return text


def profile_hdl(parameters: Mapping[str, int]) -> str:
    """SystemVerilog text of the package ``tp_profile_pkg``."""
    lines = (f"  localparam int {name} = {value};\n" for name, value in parameters.items())
    return _PROFILE.format(parameters="".join(lines))


def generated_hdl(block: Block, scopes: bool = False) -> str:
    """SystemVerilog text of all recorder and player modules of ``block``.

    With ``scopes`` each recorder appends a line to +wave_scopes=F: stream instance, and its scope.
    """
    parts = [_HEADER.format(block=block.name)]
    parts += [_recorder(block.name, s, scopes) for s in block.streams]
    parts += [_player(block.name, p) for p in block.players]
    parts.append("\n`default_nettype wire\n")
    return "".join(parts)
