import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf, type Tenant } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { Time } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { refreshTenant } from '../../tenants/tenant-actions.ts';
import { maxOffered, versionsQuery } from '../../upgrades/single/queries.ts';
import styles from '../tenant.module.css';
import { DeployChanges } from './deploy-changes.tsx';
import { deployText } from './messages.ts';

type Offer = components['schemas']['AvailableVersion'] | components['schemas']['AvailableBranch'];
type Kind = 'default' | 'tag' | 'branch' | 'commit';

interface DeployDialogProps {
  tenant: Pick<Tenant, 'id' | 'name' | 'version' | 'deployed_at'>;
  /** The commit that is chosen at first; missing: the deployed version. */
  commit?: string | undefined;
  onClose(): void;
}

/** Asks what to deploy, starts the deployment and opens its page; another version than the deployed one is upgraded to. */
export function DeployDialog({ tenant, commit, onClose }: DeployDialogProps) {
  const { id, name, version: deployed, deployed_at } = tenant;
  const again = deployed_at !== null;
  const navigate = useNavigate();
  const { data, error } = useQuery(versionsQuery(id, maxOffered));
  const [kind, setKind] = useState<Kind>(commit ? 'commit' : 'default');
  const [chosen, setChosen] = useState<Partial<Record<Kind, string>>>(commit ? { commit } : {});
  const { versions: known = [], branches = [] } = data ?? {};
  const latest = known.find((one) => one.latest);
  const versions = known.filter((one) => !again || !one.deployed);
  const head = branches.find((one) => one.default);
  const values: Record<Kind, string> = {
    default: '',
    tag: chosen.tag ?? versions.find((one) => one.latest === again)?.version ?? versions[0]?.version ?? '',
    branch: chosen.branch ?? head?.name ?? branches[0]?.name ?? '',
    commit: chosen.commit?.trim() ?? '',
  };
  const byDefault = latest ? deployText.kinds.latest(latest.version) : deployText.kinds.head(head?.name ?? 'HEAD');
  const kinds: Partial<Record<Kind, string>> = {
    default: again ? deployText.kinds.deployed(deployed) : byDefault,
    ...(versions.length > 0 ? { tag: deployText.kinds.tag } : {}),
    ...(branches.length > 0 ? { branch: deployText.kinds.branch } : {}),
    commit: deployText.kinds.commit,
  };
  const offers: Record<Kind, Offer | undefined> = {
    default: again ? [...known, ...branches].find((one) => one.deployed) : (latest ?? head),
    tag: versions.find((one) => one.version === values.tag),
    branch: branches.find((one) => one.name === values.branch),
    commit: undefined,
  };
  const value = values[kind];
  const body = kind === 'default' ? {} : kind === 'tag' ? { target_version: value } : { target_ref: value };
  const choose = (value: string): void => setChosen((before) => ({ ...before, [kind]: value }));
  const isUpgrade = again && kind === 'tag';
  const isSame = again && kind === 'default';
  const act = async (): Promise<string> => {
    if (isUpgrade) return `upgrade?version=${encodeURIComponent(value)}`;
    const answer = await dataOf(api.POST('/api/tenants/{id}/deploy', { params: { path: { id } }, body }));
    return `deployments/${'deployment_id' in answer ? answer.deployment_id : ''}`;
  };
  return (
    <Confirm
      title={isSame ? deployText.againTitle(name) : deployText.title(name)}
      hint={again ? deployText.againHint : deployText.hint}
      submit={isUpgrade ? deployText.toUpgrade : isSame ? deployText.submitAgain : deployText.submit}
      ready={kind === 'default' || values[kind] !== ''}
      act={act}
      onDone={(place) => {
        refreshTenant(id);
        void navigate(`/tenants/${id}/${place}`);
      }}
      onClose={onClose}
    >
      {!data && error ? <ErrorNote error={error} /> : !data && <Waiting error={null} />}
      {data && (
        <>
          <SelectField<Kind> label={deployText.what} value={kind} options={kinds} onChange={setKind} />
          {kind === 'tag' && (
            <SelectField
              label={deployText.version}
              value={values.tag}
              options={Object.fromEntries(versions.map((one) => [one.version, labelOf(one)]))}
              onChange={choose}
            />
          )}
          {kind === 'branch' && (
            <SelectField
              label={deployText.branch}
              value={values.branch}
              options={Object.fromEntries(branches.map((one) => [one.name, one.name]))}
              onChange={choose}
            />
          )}
          {kind === 'commit' && (
            <TextField
              name="commit"
              label={deployText.commit}
              hint={deployText.commitHint}
              value={chosen.commit ?? ''}
              onChange={choose}
            />
          )}
          <Commit offer={offers[kind]} />
          {again && (kind !== 'commit' || isCommit(value)) && <DeployChanges id={id} body={body} />}
          {isUpgrade && <p className={styles.fine}>{deployText.otherVersions}</p>}
        </>
      )}
    </Confirm>
  );
}

const isCommit = (text: string): boolean => /^[0-9a-f]{7,64}$/i.test(text);

function labelOf({ version, failure, pre_release }: components['schemas']['AvailableVersion']): string {
  if (failure) return deployText.failedBefore(version);
  return pre_release ? deployText.preRelease(version) : version;
}

/** The commit that would be deployed. */
function Commit({ offer }: { offer: Offer | undefined }) {
  if (!offer) return null;
  const { commit, subject, author, date } = offer;
  return (
    <p className={styles.commit}>
      <span className={styles.mono}>{commit.slice(0, 10)}</span> {subject}
      <span className={styles.fine}>
        {author && deployText.by(author)}
        {date && <Time at={date} />}
      </span>
    </p>
  );
}
