import type { AvailabilityReport } from './availability.ts';

/** `1 h 05 min` */
function duration(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const hours = Math.floor(minutes / 60);
  const text = hours === 0 ? `${minutes} min` : `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return seconds < 0 ? `-${text}` : text;
}

const percent = (value: number | null): string => (value === null ? 'no checks' : `${value.toFixed(3)} %`);

/** Tenants with the lowest availability that the text names, and how much of a name. */
const maxTenants = 100;
const maxName = 60;

/** A month's report as plain text, for an e-mail. */
export function availabilityReportText({ month, objective, fleet, tenants }: AvailabilityReport): string {
  const missed = tenants.filter(({ percent: reached, left }) => reached !== null && left < 0);
  const named = tenants.slice(0, maxTenants);
  const more = tenants.length - named.length;
  const nameOf = ({ tenant }: (typeof tenants)[number]): string => tenant.name.slice(0, maxName);
  const width = Math.max(0, ...named.map((row) => nameOf(row).length));
  const line = (row: (typeof tenants)[number]): string => {
    const figures = row.percent === null ? '' : `, down ${duration(row.used)}, budget left ${duration(row.left)}`;
    return `${nameOf(row).padEnd(width)}  ${percent(row.percent)}${figures}`;
  };
  return [
    `Availability in ${month} (UTC)`,
    '',
    `All tenants: ${percent(fleet.percent)}; objective: ${objective} %.`,
    missed.length === 0
      ? 'Every tenant is within its error budget.'
      : `${missed.length} of ${tenants.length} tenants are over their error budget.`,
    '',
    ...named.map(line),
    ...(more > 0 ? [`and ${more} more: see the report`] : []),
  ].join('\n');
}
