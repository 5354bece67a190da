"""Charts as SVG, about as wide as a phone, so that letters have the same size everywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.cli.report._html import Markup, element
from hedgerow.plot.style import BLUE, GREEN, GREY, ORANGE, PURPLE

WIDTH, HEIGHT = 360, 240
NARROW, WIDE = 7.4, 12.5
"""Widths of letters, to leave room for labels: generous, because fonts differ."""
LINE = 20
"""Height of a line of a chart of rows."""
MOST_ROOM = 150.0
"""Of a label beside an axis."""
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, GREY)
DASHED, DOTTED = "5 4", "1 3"
Range = tuple[float, float]
Ticks = Sequence[tuple[float, str]]


class Chart:
    """Axes, and marks in them.

    Parameters
    ----------
    x, y : pair of floats
        What the axes reach from and to.
    x_label, y_label : str
        What they show; that of y stands above it.
    x_ticks, y_ticks : sequence of (float, str), optional
        Places and words; round numbers if not given.
    height : float, default=HEIGHT
        With axes and labels.
    """

    def __init__(
        self,
        x: Range,
        y: Range,
        x_label: str = "",
        y_label: str = "",
        x_ticks: Ticks | None = None,
        y_ticks: Ticks | None = None,
        height: float = HEIGHT,
    ) -> None:
        self.x, self.y = _widened(x), _widened(y)
        self.x_ticks = round_ticks(*self.x, 4) if x_ticks is None else x_ticks
        self.y_ticks = round_ticks(*self.y, 5) if y_ticks is None else y_ticks
        longest = max((room_for(short(word)) for _, word in self.y_ticks), default=0)
        self.left, self.right = 10 + longest, WIDTH - 14.0
        self.top, self.bottom = 26.0 if y_label else 8.0, height - (42.0 if x_label else 24.0)
        self.height, self.label = height, " over ".join(filter(None, (y_label, x_label)))
        self._marks: list[Markup] = self._axes(x_label, y_label)

    def line(self, x: Any, y: Any, colour: str = BLUE) -> None:
        """Draw a line, with gaps where a value is not known."""
        for part in _known_parts(x, y):
            points = " ".join(f"{self.across(a):.1f},{self.up(b):.1f}" for a, b in part)
            self._add("polyline", points=points, fill="none", stroke=colour, stroke_width=2)

    def band(self, x: Any, low: Any, high: Any, colour: str = BLUE, opacity: float = 0.18) -> None:
        """Fill what lies between two lines."""
        forth = [f"{self.across(a):.1f},{self.up(b):.1f}" for a, b in zip(x, high, strict=True)]
        back = [f"{self.across(a):.1f},{self.up(b):.1f}" for a, b in zip(x, low, strict=True)]
        self._add("polygon", points=" ".join(forth + back[::-1]), fill=colour, fill_opacity=opacity)

    def dots(self, x: Any, y: Any, colour: str = BLUE, radius: float = 2.2, opacity: float = 0.45) -> None:
        """Draw dots."""
        for a, b in zip(x, y, strict=True):
            place = {"cx": f"{self.across(a):.1f}", "cy": f"{self.up(b):.1f}", "r": radius}
            self._add("circle", **place, fill=colour, fill_opacity=opacity)

    def box(self, x: Range, y: Range, colour: str = BLUE, gap: float = 0.5) -> None:
        """Fill a rectangle, a little smaller than it is so that neighbours are distinct."""
        left, right = sorted(map(self.across, x))
        top, bottom = sorted(map(self.up, y))
        size = {"width": f"{max(0.5, right - left - gap):.1f}", "height": f"{max(0.5, bottom - top - gap):.1f}"}
        self._add("rect", x=f"{left:.1f}", y=f"{top:.1f}", **size, fill=colour)

    def segment(self, x: Range, y: Range, colour: str = GREY, width: float = 1.0, dash: str | None = None) -> None:
        """Draw a straight line; `dash` is one of DASHED and DOTTED."""
        (x1, x2), (y1, y2) = map(self.across, x), map(self.up, y)
        ends = {"x1": f"{x1:.1f}", "x2": f"{x2:.1f}", "y1": f"{y1:.1f}", "y2": f"{y2:.1f}"}
        self._add("line", **ends, stroke=colour, stroke_width=width, stroke_dasharray=dash)

    def word(self, x: float, y: float, text: str) -> None:
        """Write a word to the right of a place."""
        self._marks.append(_text(self.across(x) + 5, self.up(y) + 4, text, "start"))

    def word_within(self, x: float, y: float, text: str, colour: str, size: int) -> None:
        """Write a word around a place."""
        style = f"font-size:{size}px;fill:{colour}"
        place = {"x": f"{self.across(x):.1f}", "y": f"{self.up(y) + size / 3:.1f}"}
        self._add("text", text, **place, text_anchor="middle", style=style)

    def svg(self) -> Markup:
        """Return the chart."""
        return element(
            "svg", *self._marks, viewBox=f"0 0 {WIDTH} {self.height:g}", role="img", aria_label=self.label or "chart"
        )

    def across(self, value: float) -> float:
        """Where a value of x is drawn."""
        return self.left + (self.right - self.left) * _share(value, self.x)

    def up(self, value: float) -> float:
        """Where a value of y is drawn."""
        return self.bottom - (self.bottom - self.top) * _share(value, self.y)

    def _add(self, name: str, *content: Any, **attributes: Any) -> None:
        self._marks.append(element(name, *content, **attributes))

    def _axes(self, x_label: str, y_label: str) -> list[Markup]:
        marks = [
            element("line", x1=self.left, x2=self.right, y1=y, y2=y, stroke="#e4e4e4")
            for y in (round(self.up(value), 1) for value, word in self.y_ticks if word)
        ]
        marks += [_text(self.left - 5, self.up(value) + 4, short(word), "end") for value, word in self.y_ticks]
        for value, word in self.x_ticks:
            room = room_for(word) / 2
            place = min(max(self.across(value), room), WIDTH - room)
            marks.append(_text(place, self.bottom + 16, word, "middle"))
        if x_label:
            centre = (self.left + self.right) / 2
            label = short(x_label, 2 * (WIDTH - centre))
            marks.append(_text(centre, self.height - 7, label, "middle", "soft"))
        if y_label:
            marks.append(_text(2, 13, short(y_label, WIDTH), "start", "soft"))
        return marks


def rows_chart(
    labels: Sequence[str], x: Range, x_label: str = "", x_ticks: Ticks | None = None, line: float = LINE
) -> Chart:
    """Return a chart with a line for each label, the first on top, at 0.5, 1.5, ... from below."""
    n = len(labels)
    places = [(n - place - 0.5, label) for place, label in enumerate(labels)]
    height = line * n + (50 if x_label else 32)
    return Chart(x, (0.0, float(n)), x_label, "", x_ticks, places, height)


def key(*named: tuple[str, str]) -> Markup:
    """Return what colours mean: pairs of a word and a colour."""
    found = [element("span", element("span", "■", style=f"color:{colour}"), f"{word} ") for word, colour in named]
    return element("p", *found, class_="about key")


def round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return round numbers between two, about as many as requested."""
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step *= next(by for by in (1, 2, 5, 10) if (high - low) / (step * by) <= most)
    while math.floor(high / step + 1e-9) - math.ceil(low / step - 1e-9) < 1:
        step /= 2 if f"{step:e}"[0] in "12" else 2.5
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    places = [number * step for number in range(first, last + 1)]
    is_plain = max(abs(low), abs(high)) < 1e7 and step > 1e-4
    return [(place, f"{place + 0.0:,.{digits}f}" if is_plain else f"{place:.3g}") for place in places]


def percent_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return shares in percent."""
    return [(place / 100, f"{word} %") for place, word in round_ticks(100 * low, 100 * high, 4)]


def between_white_and(colour: str, share: float) -> str:
    """Mix a colour with white: 0 is white, 1 the colour."""
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in parts)


def reach_of_shares(*values: Any) -> Range:
    """Return from zero to where shares reach, at most to one."""
    return 0.0, min(1.0, max(0.02, reach(*values)[1]))


def reach(*values: Any, least: float | None = None) -> Range:
    """Return from where to where finite values reach, with a little room."""
    every = np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in values])
    every = every[np.isfinite(every)]
    if not every.size:
        return 0.0, 1.0
    low, high = float(every.min()), float(every.max())
    room = 0.03 * (high - low)
    return (low - room if least is None else least), high + room


def short(text: str, most: float = MOST_ROOM) -> str:
    """Return a label that has room: beginning and end, because names of columns often differ only in one of these."""
    shown, n_kept = text, len(text)
    while n_kept > 0 and room_for(shown) > most:
        n_kept -= 1
        n_last = n_kept // 2
        shown = text[: n_kept - n_last] + "…" + text[len(text) - n_last :]
    return shown


def room_for(text: str) -> float:
    """Return how wide a text may be."""
    return sum(WIDE if letter in "mwMW@%" or ord(letter) > 0x2E80 else NARROW for letter in text)


def _text(x: float, y: float, content: str, anchor: str, kind: str | None = None) -> Markup:
    return element("text", content, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=kind)


def _share(value: float, among: Range) -> float:
    return min(max((float(value) - among[0]) / (among[1] - among[0]), -0.02), 1.02)


def _widened(among: Range) -> Range:
    low, high = float(among[0]), float(among[1])
    least = 1e-9 * max(abs(low), abs(high), 1e-9)
    return (low, high) if high - low > least else (low - max(least, 0.5), high + max(least, 0.5))


def _known_parts(x: Any, y: Any) -> list[list[tuple[float, float]]]:
    parts: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x, y, strict=True):
        if math.isfinite(a) and math.isfinite(b):
            parts[-1].append((a, b))
        else:
            parts.append([])
    return [part for part in parts if part]
