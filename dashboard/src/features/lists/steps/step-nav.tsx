import { Link, useParams } from 'react-router';
import { Icon } from '../../../components/layout/icon.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { ListJob } from '../queries.ts';
import { doneSteps, type Step, stepNames } from './state.ts';

interface StepNavProps {
  job: ListJob;
  tenantId: string;
  open: ReadonlySet<Step>;
}

/** The steps of a list: done, current and next; reachable ones are links. */
export function StepNav({ job, tenantId, open }: StepNavProps) {
  const { step } = useParams();
  const done = doneSteps(job);
  const lists = `/tenants/${tenantId}/lists`;
  const { steps, stepNames: names, done: doneWord } = listsText.list;
  return (
    <nav aria-label={steps}>
      <ol className={styles.steps}>
        {(['file', ...stepNames] as const).map((name, at) => {
          const behind = name === 'file' || done.has(name) || at <= stepNames.indexOf(step as Step);
          const present = name === step;
          const label = (
            <>
              <span className={styles.stepNumber} aria-hidden="true">
                {behind && !present ? <Icon name="chosen" /> : at + 1}
              </span>
              <span className={styles.stepName}>
                {names[name]}
                {behind && <span className={styles.unseen}> ({doneWord})</span>}
              </span>
            </>
          );
          const reachable = name !== 'file' && open.has(name);
          return (
            <li key={name} data-state={present ? 'present' : behind ? 'behind' : 'ahead'}>
              {reachable ? (
                <Link to={`${lists}/${job.id}/${name}`} {...(present ? { 'aria-current': 'step' as const } : {})}>
                  {label}
                </Link>
              ) : (
                <span>{label}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
