import { useElementSize } from '@mantine/hooks';
import {
  type CSSProperties,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useState,
} from 'react';
import classes from './Chart.module.css';
import { labelEvery, ticksTo } from './scale.ts';

/** Values of one kind, one for each label of the chart. */
export interface Series {
  readonly name: string;
  /** Token of the design: `accent`. */
  readonly color: string;
  /** Null: not measured. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly kind: 'stacked' | 'by side' | 'lines';
  /** Without the legend, px. */
  readonly height: number;
  /** Names of the slots, from the left. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Opens what a slot counts. @param row number of the series chosen; null: the whole slot */
  readonly onChoose?: ((slot: number, row: number | null) => void) | undefined;
}

/** Space of the axes, px. */
const LEFT = 56;
const BOTTOM = 26;
const TOP = 8;
const TICK = 12;

/** Geometry of a chart, px. */
interface Plane {
  /** Width of a slot. */
  readonly slot: number;
  /** Left side of a slot. */
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

const paint = (token: string) => `var(--${token})`;

/** A chart as SVG, for the eye and the pointer; {@link ChartFigure} says the same as a table. */
export function Chart(props: ChartProps) {
  const { series, labels, format } = props;
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  return (
    <>
      <div className={classes.legend}>
        {series.map(({ name, color }) => (
          <span key={name} className={classes.key} style={seriesColor(color)}>
            {name}
          </span>
        ))}
      </div>
      <div ref={ref} className={classes.plot} style={{ height: props.height }}>
        {width > LEFT && <Plot {...props} width={width} at={at} onPoint={setAt} />}
        {at !== null && at < labels.length && (
          <div className={classes.tip} style={tipPlace(at, labels.length)}>
            <p className={classes.when}>{labels[at]}</p>
            {series.map(({ name, color, values }) => (
              <p key={name}>
                <span className={classes.key} style={seriesColor(color)}>
                  {name}
                </span>
                <span>{said(values[at], format)}</span>
              </p>
            ))}
          </div>
        )}
      </div>
    </>
  );
}

const seriesColor = (color: string) => ({ '--series': paint(color) }) as CSSProperties;

function said(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '—' : format(value);
}

/** Place on the side of the chart where the pointer is not. */
function tipPlace(at: number, slots: number): CSSProperties {
  return at < slots / 2 ? { right: 0 } : { left: LEFT };
}

function Plot({
  kind,
  height,
  labels,
  series,
  format,
  width,
  at,
  onPoint,
  onChoose,
}: ChartProps & {
  readonly width: number;
  /** Slot under the pointer. */
  readonly at: number | null;
  readonly onPoint: (at: number | null) => void;
}) {
  const ticks = ticksTo(largestOf(series, kind), kind !== 'lines');
  const floor = height - BOTTOM;
  const slot = (width - LEFT) / labels.length;
  const top = ticks.at(-1) ?? 1;
  const plane: Plane = {
    slot,
    x: (index) => LEFT + index * slot,
    y: (value) => floor - (value / top) * (floor - TOP),
  };
  const every = labelEvery(labels, slot);
  const slotAt = ({ nativeEvent: { offsetX } }: MouseEvent) =>
    offsetX < LEFT ? null : Math.floor((offsetX - LEFT) / slot);
  const point = (event: PointerEvent) => onPoint(slotAt(event));
  function choose(event: MouseEvent) {
    const chosen = slotAt(event);
    const { row } = (event.target as SVGElement).dataset;
    if (chosen !== null) onChoose?.(chosen, row === undefined ? null : Number(row));
  }
  return (
    <svg
      width={width}
      height={height}
      className={onChoose && classes.leading}
      onPointerMove={point}
      onPointerLeave={() => onPoint(null)}
      onClick={choose}
    >
      {at !== null && (
        <rect className={classes.band} x={plane.x(at)} y={TOP} width={slot} height={floor - TOP} />
      )}
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            className={classes.grid}
            x1={LEFT}
            x2={width}
            y1={plane.y(tick)}
            y2={plane.y(tick)}
          />
          <text x={LEFT - TICK / 2} y={plane.y(tick)} dy="0.32em" textAnchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {labels.map((label, index) =>
        index % every === 0 ? (
          <text key={index} x={plane.x(index + 0.5)} y={height - TICK / 2} textAnchor="middle">
            {label}
          </text>
        ) : null,
      )}
      {kind === 'lines' ? lines(series, plane, floor) : barsOf(series, plane, kind)}
    </svg>
  );
}

function largestOf(series: readonly Series[], kind: ChartProps['kind']): number {
  const slots = series[0]?.values.map((_, index) => series.map(({ values }) => values[index] ?? 0));
  const heights = (slots ?? []).map((values) =>
    kind === 'stacked' ? values.reduce((sum, each) => sum + each, 0) : Math.max(...values),
  );
  return Math.max(...heights, 0);
}

const WIDEST_BAR = 28;
const BETWEEN = 2;

function barsOf(
  series: readonly Series[],
  { slot, x, y }: Plane,
  kind: 'stacked' | 'by side',
): ReactNode {
  const beside = kind === 'stacked' ? 1 : series.length;
  const width = Math.max(1, Math.min(WIDEST_BAR, (slot - BETWEEN) / beside));
  const start = (slot - width * beside) / 2;
  /** Value below each bar of a stack. */
  const below = new Map<number, number>();
  return series.flatMap(({ name, color, values }, row) =>
    values.map((value, index) => {
      const from = kind === 'stacked' ? (below.get(index) ?? 0) : 0;
      const to = from + (value ?? 0);
      below.set(index, to);
      return (
        <rect
          key={`${name} ${index}`}
          x={x(index) + start + (kind === 'stacked' ? 0 : row * width)}
          y={y(to)}
          width={width}
          height={y(from) - y(to)}
          fill={paint(color)}
          data-row={row}
        />
      );
    }),
  );
}

/** Lines with more points are drawn without dots. */
const MOST_DOTS = 24;

function lines(series: readonly Series[], { x, y }: Plane, floor: number): ReactNode {
  return series.map(({ name, color, values }) => {
    const points = values.flatMap((value, index) =>
      value === null ? [] : [[x(index + 0.5), y(value)] as const],
    );
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return null;
    const path = `M${points.map((each) => each.join(' ')).join('L')}`;
    return (
      <g key={name} fill={paint(color)} stroke={paint(color)}>
        <path className={classes.area} stroke="none" d={`${path}V${floor}H${first[0]}Z`} />
        <path className={classes.line} d={path} />
        {values.length <= MOST_DOTS &&
          points.map(([cx, cy]) => <circle key={cx} cx={cx} cy={cy} r={3} />)}
      </g>
    );
  });
}
