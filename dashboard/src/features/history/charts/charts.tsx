import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { useQueryValue } from '../../../hooks/use-query-value.ts';
import { titleOf } from '../../incidents/incident-item.tsx';
import type { IncidentSummary } from '../../incidents/queries.ts';
import { historyText as words } from '../messages.ts';
import { metricsQuery, ranges, type Source } from '../queries.ts';
import type { Mark } from './chart.tsx';
import { chartData, type Line } from './chart-data.ts';
import styles from './charts.module.css';
import type { Unit } from './units.ts';

/** uPlot is loaded with the first chart. */
const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

export interface ChartPlan {
  title: string;
  unit: Unit;
  lines: readonly Line[];
}

interface ChartsProps {
  plans: readonly ChartPlan[];
  source: Source;
  marks?: readonly Mark[] | undefined;
}

const noMarks: readonly Mark[] = [];

/** Marks the period of an incident. */
export const incidentMark = (incident: IncidentSummary): Mark => ({
  at: Date.parse(incident.opened_at) / 1_000,
  until: incident.resolved_at === null ? null : Date.parse(incident.resolved_at) / 1_000,
  label: titleOf(incident),
});

/** Charts of measurements, with a choice of their range that the address keeps. */
export function Charts({ plans, source, marks = noMarks }: ChartsProps) {
  const [chosen, choose] = useQueryValue('range', '24h');
  const range = ranges.find((one) => one === chosen) ?? '24h';
  const { data, error } = useQuery(metricsQuery(source, range));
  const charts = useMemo(
    () =>
      data
        ? plans
            .map((plan) => ({ ...plan, data: chartData(data, plan.lines) }))
            .filter((chart) => chart.data.lines.length > 0)
        : [],
    [data, plans],
  );
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is shown */}
      <div className={styles.ranges} role="group" aria-label={words.range}>
        {ranges.map((one) => (
          <button key={one} type="button" aria-pressed={one === range} onClick={() => choose(one)}>
            {words.ranges[one]}
          </button>
        ))}
      </div>
      {data && <ErrorNote error={error} />}
      {!data && <Waiting error={error} />}
      {data && charts.length === 0 && <Empty title={words.none} hint={words.noneHint} />}
      {data && charts.length > 0 && (
        <>
          <div className={styles.grid}>
            <Suspense fallback={<Waiting error={undefined} />}>
              {charts.map((chart) => (
                <Chart
                  key={chart.title}
                  title={chart.title}
                  unit={chart.unit}
                  data={chart.data}
                  from={Date.parse(data.from) / 1_000}
                  to={Date.parse(data.to) / 1_000}
                  marks={marks}
                />
              ))}
            </Suspense>
          </div>
          <p className={styles.hint}>
            {words.zoomHint}{' '}
            {marks.length > 0 && (marks.some(({ until }) => until === undefined) ? words.marks : words.incidents)}
          </p>
        </>
      )}
    </>
  );
}
