import { useQuery } from '@tanstack/react-query';
import { useMatch, useNavigate } from 'react-router';
import { api, dataOf, type Tenant } from '../../api/client.ts';
import { tenantsQuery } from '../../api/queries.ts';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { text } from '../../lib/messages.ts';
import { preferencesText } from '../accounts/preferences/messages.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { useSystemSections } from '../system/system-page.tsx';
import { openDeployDialog } from '../tenant/deployments/deploy-button.tsx';
import { sectionsOf } from '../tenant/tenant-page.tsx';
import { tenantsText } from '../tenants/messages.ts';
import { controlConfirmation, controls, mayControl, refreshTenant } from '../tenants/tenant-actions.ts';
import { type Entry, type EntryGroup, fitting, rankTenants } from './entries.ts';
import { paletteText } from './messages.ts';

/** Maximum number of listed tenants; more typing narrows the search. */
const maxTenants = { asked: 20, unasked: 6 };

interface Found {
  groups: EntryGroup[];
  /** Matching tenants that are not listed. */
  more: number;
}

/** The palette's results for the input: actions, pages and tenants that the user may use. */
export function useEntries(search: string, places: readonly { to: string; name: string }[]): Found {
  const navigate = useNavigate();
  const operator = useHasRole('operator');
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const { id: presentId } = useMatch('/tenants/:id/*')?.params ?? {};
  const present = tenants.find(({ id }) => id === presentId);
  const go = (to: string) => () => void navigate(to);
  const page = (to: string, label: string): Entry => ({ id: to, label, act: go(to) });

  const actions = present && operator ? actionsOn(present) : [];
  const sections = present ? sectionsOf(present.id, operator).map(({ to, name }) => page(to, name)) : [];
  const operatorPages = operator
    ? [
        { id: 'new', label: paletteText.newTenant, act: () => void navigate('/tenants', { state: { create: true } }) },
        page('/upgrades/new', paletteText.newUpgrade),
      ]
    : [];
  const system = useSystemSections().map(({ to, name: label }) => ({ ...page(to, label), hint: text.system }));
  const account = [
    page('/account/preferences', preferencesText.title),
    page('/account/sessions', text.sessions),
    page('/account/tokens', text.tokens),
    page('/password', text.changePassword),
  ];
  const ranked = rankTenants(tenants, search);
  const listed = ranked.slice(0, search.trim() ? maxTenants.asked : maxTenants.unasked);
  const ofTenants = listed.map(
    (tenant): Entry => ({
      id: `tenant ${tenant.id}`,
      label: tenant.name,
      hint: tenant.domain,
      tenant,
      act: go(`/tenants/${tenant.id}`),
    }),
  );
  const name = present?.name ?? '';
  const groups: EntryGroup[] = [
    // A first entry chosen by mistake only opens a page.
    { value: paletteText.groups.sections(name), items: fitting(sections, search) },
    { value: paletteText.groups.actions(name), items: fitting(actions, search) },
    { value: paletteText.groups.tenants, items: ofTenants },
    {
      value: paletteText.groups.pages,
      items: fitting(
        [...places.map(({ to, name: label }) => page(to, label)), ...operatorPages, ...system, ...account],
        search,
      ),
    },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    more: search.trim() ? ranked.length - listed.length : 0,
  };
}

function actionsOn(tenant: Tenant): Entry[] {
  const { name, deployed_at, version } = tenant;
  const actionEntry = (label: string, act: () => void): Entry => ({ id: `do ${label}`, label, words: name, act });
  return [
    actionEntry(deployed_at ? tenantsText.actions.deployAgain(version) : tenantsText.actions.deploy, () =>
      openDeployDialog(tenant),
    ),
    ...controls
      .filter((action) => mayControl(action, tenant))
      .map((action) => actionEntry(tenantsText.actions[action], () => controlConfirmation(action, tenant))),
    ...(deployed_at ? [actionEntry(paletteText.checkHealth, () => void checkHealth(tenant))] : []),
  ];
}

async function checkHealth({ id, name }: Tenant): Promise<void> {
  try {
    const { overall_status } = await dataOf(api.POST('/api/tenants/{id}/health-check', { params: { path: { id } } }));
    notify(paletteText.checked(name, text.health[overall_status]));
    refreshTenant(id);
  } catch (error) {
    notifyError(error);
  }
}
