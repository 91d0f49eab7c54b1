import { type MetricName, metricsOf, type SubjectKind, type Values } from '../metrics.ts';

/** A figure that was not measured for longer is not reported as present, in ms. */
const maxAgeMs = 15 * 60_000;

/** The last figures of each subject, for Prometheus. */
export function createLatest() {
  const subjects = new Map<
    string,
    { kind: SubjectKind; label: string; figures: Map<string, { at: number; value: number }> }
  >();
  return {
    /** @param label what Prometheus calls it: a tenant's slug, a node's host name */
    set<Kind extends SubjectKind>(kind: Kind, id: string, label: string, at: Date, values: Values<Kind>): void {
      const key = `${kind}:${id}`;
      const { figures } = subjects.get(key) ?? { figures: new Map() };
      subjects.set(key, { kind, label, figures });
      for (const { name, ...metric } of metricsOf[kind]) {
        const value = values[name as MetricName<Kind>];
        if (value === undefined || value === null) continue;
        // Sums are counted since the start.
        const before = 'isSum' in metric ? (figures.get(name)?.value ?? 0) : 0;
        figures.set(name, { at: at.getTime(), value: before + value });
      }
    },
    forget: (kind: SubjectKind, id: string): void => void subjects.delete(`${kind}:${id}`),
    /** The present figures of one metric. */
    of(kind: SubjectKind, name: string, now: Date): { labels: Record<string, string>; value: number }[] {
      return [...subjects.values()].flatMap(({ kind: own, label, figures }) => {
        const figure = own === kind ? figures.get(name) : undefined;
        if (!figure || now.getTime() - figure.at > maxAgeMs) return [];
        return [{ labels: kind === 'manager' ? {} : { [kind]: label }, value: figure.value }];
      });
    },
  };
}
