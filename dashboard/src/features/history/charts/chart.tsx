import { useEffect, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { dateFormat } from '../../../lib/figures.ts';
import { timeZone } from '../../../lib/language.ts';
import { historyText as words } from '../messages.ts';
import { type ChartData, extremesOf } from './chart-data.ts';
import styles from './charts.module.css';
import { type Unit, unitText } from './units.ts';

/** What a chart marks: a moment with a dashed line and its label, a period as an area that says its label at the pointer. */
export interface Mark {
  /** In seconds since 1970. */
  at: number;
  label: string;
  /** The end of a period; null: it lasts. */
  until?: number | null;
}

interface ChartProps {
  title: string;
  unit: Unit;
  data: ChartData;
  /** The ends of the time axis, in seconds since 1970. */
  from: number;
  to: number;
  marks: readonly Mark[];
}

const height = 180;
const lineColours = ['--accent-solid', '--warning-solid', '--success-solid'] as const;
const full = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const clock = dateFormat({ timeStyle: 'short' });
const day = dateFormat({ day: 'numeric', month: 'short' });
const daySeconds = 86_400;
/** Short incidents are visible in a year. */
const minAreaWidth = 3;

/** Lines over time with their values at the pointer; all charts of a page show the same moment. */
export function Chart({ title, unit, data, from, to, marks }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore(onTheme, currentTheme);
  const summary = words.summary(
    title,
    data.lines.flatMap(({ name, values }) => {
      const extremes = extremesOf(values);
      return extremes ? [words.line(name, unitText(unit, extremes.last), unitText(unit, extremes.highest))] : [];
    }),
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read again after a change of the scheme
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = new UPlot(
      optionsOf({ unit, data, from, to, marks, width: element.clientWidth }),
      dataOf(data),
      element,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [unit, data, from, to, marks, theme]);

  return (
    <figure className={styles.chart}>
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={summary} />
    </figure>
  );
}

/** The colour scheme of the page: a canvas must be drawn again when it changes. */
function onTheme(listener: () => void): () => void {
  const watch = new MutationObserver(listener);
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => watch.disconnect();
}
const currentTheme = (): string | undefined => document.documentElement.dataset.theme;

const dataOf = ({ at, lines }: ChartData): UPlot.AlignedData => [at, ...lines.map(({ values }) => values)];

function optionsOf({
  unit,
  data,
  from,
  to,
  marks,
  width,
}: Omit<ChartProps, 'title'> & { width: number }): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name);
  const axis = {
    stroke: colour('--text-muted'),
    grid: { stroke: colour('--border'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    tzDate: (at) => UPlot.tzDate(new Date(at * 1_000), timeZone()),
    cursor: { sync: { key: 'history' }, drag: { x: true, y: false }, points: { size: 6 } },
    scales: {
      x: {
        time: true,
        range: (_plot, min, max) => (isWhole(data.at, min, max) ? [from, to] : [min, max]),
      },
      y: { range: (_plot, _min, max) => (unit === 'ratio' ? [0, 1.02] : [0, max > 0 ? max * 1.1 : 1]) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        values: (_plot, ticks, _axis, _space, step) =>
          ticks.map((at) => (step < daySeconds ? clock : day).format(new Date(at * 1_000))),
      },
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map((value) => unitText(unit, value)) },
    ],
    series: [
      { label: words.time, value: (_plot, at) => (at ? full.format(new Date(at * 1_000)) : '–') },
      ...data.lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(lineColours[index % lineColours.length] ?? '--text'),
        width: 1.5,
        points: { show: data.at.length < 3 },
        value: (_plot: UPlot, value: number | null) => (value === null ? '–' : unitText(unit, value)),
      })),
    ],
    hooks: {
      drawClear: [(plot) => drawPeriods(plot, marks, colour('--danger-muted'))],
      draw: [(plot) => drawMoments(plot, marks, colour('--text-muted'))],
      setCursor: [(plot) => showPeriods(plot, marks)],
    },
  };
}

/** Whether an axis that uPlot proposes is that of all moments: then it is the range that was asked for. */
const isWhole = (at: readonly number[], min: number, max: number): boolean =>
  at.length < 2 || (min <= (at[0] ?? 0) && max >= (at.at(-1) ?? 0));

const isPeriod = (mark: Mark): boolean => mark.until !== undefined;

/** The left and right end of a period in a plot, in the canvas's pixels or those of the page. */
function endsOf(plot: UPlot, { at, until }: Mark, onCanvas: boolean): [left: number, right: number] {
  const left = plot.valToPos(at, 'x', onCanvas);
  const right = plot.valToPos(until ?? plot.scales.x?.max ?? at, 'x', onCanvas);
  return [left, Math.max(right, left + minAreaWidth * (onCanvas ? devicePixelRatio : 1))];
}

function drawPeriods(plot: UPlot, marks: readonly Mark[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  for (const mark of marks.filter(isPeriod)) {
    const [left, right] = endsOf(plot, mark, true);
    const [from, to] = [Math.max(left, bbox.left), Math.min(right, bbox.left + bbox.width)];
    if (from < to) ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/** The periods at the pointer are the hover text of the plot. */
function showPeriods(plot: UPlot, marks: readonly Mark[]): void {
  const x = plot.cursor.left ?? -1;
  const here = marks.filter((mark) => {
    const [left, right] = endsOf(plot, mark, false);
    return isPeriod(mark) && x >= left && x <= right;
  });
  plot.over.title = here.map(periodText).join('\n');
}

function periodText({ at, until, label }: Mark): string {
  const shown = (seconds: number): string => full.format(new Date(seconds * 1_000));
  return `${label}: ${shown(at)} – ${until ? shown(until) : words.ongoing}`;
}

function drawMoments(plot: UPlot, marks: readonly Mark[], colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.font = `${11 * devicePixelRatio}px sans-serif`;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { at, label } of marks.filter((mark) => !isPeriod(mark))) {
    const x = plot.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const atEnd = x > bbox.left + bbox.width * 0.8;
    ctx.textAlign = atEnd ? 'right' : 'left';
    ctx.fillText(label, x + (atEnd ? -4 : 4) * devicePixelRatio, bbox.top + 11 * devicePixelRatio);
  }
  ctx.restore();
}
