import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet } from 'react-router';
import { PageHead, type SectionLink, Sections } from '../../components/layout/page.tsx';
import { text } from '../../lib/messages.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { isAtLeast, type Role, useSession } from '../accounts/session/session.tsx';
import { channelsText } from '../notifications/channels/messages.ts';
import { rulesText } from '../notifications/rules/messages.ts';
import { systemPageText, systemText } from './messages.ts';
import { preflightText } from './preflight/messages.ts';
import { systemQuery } from './queries.ts';
import { registriesText } from './registries/messages.ts';

/** The sections, each with its minimum role, and the runtime that it is about. */
const sections: readonly (SectionLink & { role: Role; runtime?: string })[] = [
  { to: '/system/overview', name: systemText.overview, icon: 'overview', role: 'operator' },
  { to: '/system/nodes', name: systemPageText.nodes, icon: 'system', role: 'operator', runtime: 'swarm' },
  { to: '/system/metrics', name: systemPageText.metrics, icon: 'metrics', role: 'operator' },
  { to: '/system/ports', name: systemText.ports, icon: 'ports', role: 'operator' },
  { to: '/system/proxy', name: systemText.proxy, icon: 'proxy', role: 'operator' },
  { to: '/system/check', name: preflightText.section, icon: 'good', role: 'operator' },
  { to: '/system/maintenance', name: systemPageText.maintenance, icon: 'pause', role: 'operator' },
  { to: '/system/settings', name: systemPageText.settings, icon: 'settings', role: 'operator' },
  { to: '/system/registries', name: registriesText.section, icon: 'download', role: 'admin' },
  { to: '/system/notifications/channels', name: channelsText.section, icon: 'out', role: 'admin' },
  { to: '/system/notifications/rules', name: rulesText.section, icon: 'bell', role: 'admin' },
  { to: '/system/users', name: systemPageText.users, icon: 'users', role: 'admin' },
];

/** The sections that the signed-in user may open. */
export function useSystemSections(): typeof sections {
  const { self } = useSession();
  const { data } = useQuery({ ...systemQuery, enabled: isAtLeast(self, 'operator') });
  return sections.filter(
    ({ role, runtime }) => isAtLeast(self, role) && (runtime === undefined || runtime === data?.runtime.kind),
  );
}

/** The layout of the system pages. */
export const SystemPage = () => (
  <>
    <PageHead title={text.system} />
    <Sections label={systemPageText.sections} entries={useSystemSections()} />
    <Outlet />
  </>
);

/** Redirects to the first section that the user may open. */
export function SystemIndex() {
  const first = useSystemSections()[0];
  return first ? <Navigate to={first.to} replace /> : <NotFound />;
}
