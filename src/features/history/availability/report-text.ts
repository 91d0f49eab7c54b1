import type { AvailabilityReport } from './availability.ts';

/** `1 h 05 min` */
function duration(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const hours = Math.floor(minutes / 60);
  const text = hours === 0 ? `${minutes} min` : `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return seconds < 0 ? `-${text}` : text;
}

const percent = (value: number | null): string => (value === null ? 'no checks' : `${value.toFixed(3)} %`);

/** A month's report as plain text, for an e-mail. */
export function availabilityReportText({ month, objective, fleet, tenants }: AvailabilityReport): string {
  const missed = tenants.filter(({ percent: reached, left }) => reached !== null && left < 0);
  const width = Math.max(0, ...tenants.map(({ tenant }) => tenant.name.length));
  const line = ({ tenant, percent: reached, used, left }: (typeof tenants)[number]): string =>
    `${tenant.name.padEnd(width)}  ${percent(reached)}${reached === null ? '' : `, down ${duration(used)}, budget left ${duration(left)}`}`;
  return [
    `Availability in ${month} (UTC)`,
    '',
    `All tenants: ${percent(fleet.percent)}; objective: ${objective} %.`,
    missed.length === 0
      ? 'Every tenant is within its error budget.'
      : `${missed.length} of ${tenants.length} tenants are over their error budget.`,
    '',
    ...tenants.map(line),
  ].join('\n');
}
