import { useQuery } from '@tanstack/react-query';
import type { DeploymentSummary, FullTenant } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { maxOffered, versionsQuery } from '../../upgrades/single/queries.ts';
import { openDeployDialog } from './deploy-button.tsx';
import { deploymentText } from './messages.ts';

interface WayBackProps {
  work: Pick<DeploymentSummary, 'kind' | 'status' | 'version' | 'commit'>;
  tenant: FullTenant;
  /** Without a border, as in a table. */
  quiet?: boolean;
}

/** Leads from a successful deployment of another version than the current one to that version. */
export function WayBack({ work, tenant, quiet }: WayBackProps) {
  const { data } = useQuery({ ...versionsQuery(tenant.id, maxOffered), enabled: tenant.git_repo !== null });
  const operator = useHasRole('operator');
  const { kind, status, version, commit } = work;
  if (!operator || !data || status !== 'success' || !commit || (kind !== 'deploy' && kind !== 'upgrade')) return null;
  if ([...data.versions, ...data.branches].some((one) => one.deployed && one.commit === commit)) return null;
  const variant = quiet ? ({ variant: 'quiet' } as const) : {};
  const offer = data.versions.find((one) => one.version === version && one.commit === commit);
  if (!offer)
    return (
      <Button {...variant} onClick={() => openDeployDialog(tenant, commit)}>
        {deploymentText.again(version ?? commit.slice(0, 7))}
      </Button>
    );
  const text = offer.older ? deploymentText.rollBack : deploymentText.upgrade;
  return (
    <ButtonLink {...variant} to={`/tenants/${tenant.id}/upgrade?version=${encodeURIComponent(offer.version)}`}>
      {text(offer.version)}
    </ButtonLink>
  );
}
