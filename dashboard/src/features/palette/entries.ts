import type { Tenant } from '../../api/client.ts';
import { compareTexts } from '../../lib/figures.ts';
import { fold } from '../../lib/fold.ts';

/** An entry of the palette. */
export interface Entry {
  id: string;
  label: string;
  /** Secondary text. */
  hint?: string;
  /** Additional search words. */
  words?: string;
  tenant?: Tenant;
  act(): void;
}

/** Base UI's form of a group: its value is its name. */
export interface EntryGroup {
  value: string;
  items: Entry[];
}

/** Entries that contain every typed word. */
export function fitting(entries: readonly Entry[], search: string): Entry[] {
  const wanted = fold(search).split(/\s+/).filter(Boolean);
  return entries.filter(({ label, hint = '', words = '' }) => {
    const all = fold(`${label} ${hint} ${words}`);
    return wanted.every((word) => all.includes(word));
  });
}

const ofStatus = { error: 0, stopped: 1, pending: 2, running: 3 } as const;
const ofHealth = { unhealthy: 0, degraded: 1, unknown: 2, healthy: 3 } as const;

/**
 * The matching tenants, best first: by the name or short name itself, then by its start, by the start of a word, by
 * any part, by a domain. Without a search, tenants with problems come first.
 */
export function rankTenants(tenants: readonly Tenant[], search: string): Tenant[] {
  const wanted = fold(search);
  const ranked = tenants.flatMap((tenant) => {
    const rank = wanted ? rankOf(tenant, wanted) : 10 * ofStatus[tenant.status] + ofHealth[tenant.health_status];
    return rank === undefined ? [] : [{ tenant, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || compareTexts(a.tenant.name, b.tenant.name));
  return ranked.map(({ tenant }) => tenant);
}

function rankOf({ name, slug, domain, api_domain }: Tenant, wanted: string): number | undefined {
  const names = [fold(name), slug];
  if (names.includes(wanted)) return 0;
  if (names.some((one) => one.startsWith(wanted))) return 1;
  if (names.some((one) => one.split(/[\s-]+/).some((word) => word.startsWith(wanted)))) return 2;
  if (names.some((one) => one.includes(wanted))) return 3;
  return domain.includes(wanted) || api_domain.includes(wanted) ? 4 : undefined;
}
