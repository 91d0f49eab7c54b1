import { memo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { duration } from '../../../components/data/time.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { apiText } from '../../../lib/api-text.ts';
import { upgradesText } from './messages.ts';
import type { Fleet, FleetMember } from './queries.ts';
import { MemberBadge } from './upgrade-badges.tsx';
import styles from './upgrades.module.css';
import { useNames } from './use-names.ts';

const words = upgradesText.one;
const states = [
  'failed',
  'upgrading',
  'waiting',
  'succeeded',
  'skipped',
] as const satisfies readonly FleetMember['status'][];

/** The tenants by ring; the current ring is expanded. */
export function Rings({ fleet }: { fleet: Fleet }) {
  const [query, setQuery] = useSearchParams();
  const only = states.find((state) => state === query.get('show'));
  const members = fleet.tenants.filter(({ status }) => only === undefined || status === only);
  const numbers = fleet.rings.map((_size, index) => index + 1);
  const explained = fleet.status === 'halted' ? fleet.reason : null;
  const left = members.filter(({ ring }) => ring === null);
  const choices = Object.fromEntries(
    states.filter((state) => fleet.counts[state] > 0).map((state) => [state, upgradesText.member[state]]),
  );
  return (
    <>
      <PagePart title={upgradesText.form.rings}>
        <SelectField<string>
          bare
          label={words.show}
          value={only ?? ''}
          options={{ '': words.everything, ...choices, ...(only ? { [only]: upgradesText.member[only] } : {}) }}
          onChange={(show) => setQuery(show ? { show } : {}, { replace: true })}
        />
      </PagePart>
      {members.length === 0 && <p className={styles.fine}>{words.nothing}</p>}
      <div className={styles.rings}>
        {numbers.map((number) => {
          const of = members.filter(({ ring }) => ring === number);
          const all = fleet.tenants.filter(({ ring }) => ring === number);
          const size = fleet.rings[number - 1] ?? '';
          return (
            (of.length > 0 || only === undefined) && (
              <Ring
                key={`${number} ${only}`}
                title={words.ring(number)}
                hint={words.size(size)}
                members={of}
                summary={all}
                explained={explained}
                open={
                  only !== undefined || number === fleet.current_ring || all.some(({ status }) => status === 'failed')
                }
              />
            )
          );
        })}
        {left.length > 0 && (
          <Ring
            title={words.left}
            hint=""
            members={left}
            summary={left}
            explained={explained}
            open={only !== undefined}
            key={`left ${only}`}
          />
        )}
      </div>
    </>
  );
}

interface RingProps {
  title: string;
  hint: string;
  members: readonly FleetMember[];
  /** The tenants counted. */
  summary: readonly FleetMember[];
  /** Why the upgrade was halted, which is shown above. */
  explained: string | null;
  /** Unless the user opened or closed it. */
  open: boolean;
}

function Ring({ title, hint, members, summary, explained, open }: RingProps) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? open;
  const names = useNames();
  return (
    <details
      className={styles.ring}
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen) setChosen(event.currentTarget.open);
      }}
    >
      <summary>
        <Icon name="open" />
        <h3>{title}</h3>
        <span className={styles.fine}>{hint}</span>
        <span className={styles.ringCounts}>
          {states.map((state) => {
            const count = summary.filter(({ status }) => status === state).length;
            return count > 0 && <span key={state}>{words.counts[state](count)}</span>;
          })}
          {summary.length === 0 && <span>{words.noNewTenants}</span>}
        </span>
      </summary>
      {isOpen && members.length > 0 && (
        <ul className={styles.members}>
          {members.map((member) => (
            <MemberRow
              key={member.tenant_id}
              member={member}
              name={names.get(member.tenant_id)}
              isExplained={member.reason !== null && (explained?.includes(member.reason) ?? false)}
            />
          ))}
        </ul>
      )}
    </details>
  );
}

const took = ({ started_at, finished_at }: FleetMember): string =>
  started_at && finished_at ? duration((Date.parse(finished_at) - Date.parse(started_at)) / 1000) : '';

interface MemberRowProps {
  member: FleetMember;
  name: string | undefined;
  /** Its reason is already shown above. */
  isExplained: boolean;
}

/** Memoised: the query keeps unchanged members identical. */
const MemberRow = memo(({ member, name, isExplained }: MemberRowProps) => {
  const { tenant_id, slug, status, reason, from_version, deployment_id } = member;
  const look = status === 'upgrading' ? words.watch : words.log;
  return (
    <li>
      <span className={styles.who}>
        <Link to={`/tenants/${tenant_id}`}>{name ?? slug}</Link>
        {name !== undefined && <span className={styles.fine}>{slug}</span>}
        {from_version && <span className={styles.fine}>{words.from(from_version)}</span>}
      </span>
      <span className={styles.badge}>
        <MemberBadge status={status} />
      </span>
      <span className={styles.took}>{took(member)}</span>
      <span className={styles.watch}>
        {deployment_id && (
          <Link to={`/tenants/${tenant_id}/deployments/${deployment_id}`} aria-label={words.watchOf(look, slug)}>
            {look}
          </Link>
        )}
      </span>
      {reason && !isExplained && <span className={styles.why}>{apiText(upgradesText.reasons, reason)}</span>}
    </li>
  );
});
