import type { ReactNode } from 'react';
import type { DeploymentSummary } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { Note } from '../../../components/feedback/note.tsx';
import { knownText } from '../diagnosis/causes.ts';
import { Evidence } from '../diagnosis/diagnosis-card.tsx';
import { causeText, remedyText } from '../diagnosis/messages.ts';
import { stepName } from './messages.ts';
import { outcomeText } from './outcome-messages.ts';

const texts = outcomeText.upgrade;

interface UpgradeOutcomeProps {
  report: components['schemas']['UpgradeReport'];
  error: DeploymentSummary['error'];
  actions?: ReactNode;
}

/** The result of an upgrade, and what happened to the former version and data. */
export function UpgradeOutcome({ report, error, actions }: UpgradeOutcomeProps) {
  const { upgraded, failure, previous_version, new_version } = report;
  const before = previous_version ?? outcomeText.before;
  const version = new_version ?? outcomeText.head;
  if (upgraded)
    return (
      <Note tone="good" title={texts.done(version)} actions={actions}>
        {texts.doneHint(before, upgraded.migrations_run.length)} {upgraded.backup_path && texts.backup}
      </Note>
    );
  if (!failure) return null;
  const title = {
    not_needed: texts.unchanged(version, before),
    done: texts.rolledBack(version, before),
    failed: texts.notBack(version),
  }[failure.rollback];
  const cause = error?.cause;
  const isIncomplete = failure.rollback === 'failed';
  // What needs an action at once comes first.
  const found = cause && (knownText(cause, 'title') ?? causeText(cause.title));
  const [headline, rest] = found && !isIncomplete ? [found, title] : [title, found];
  return (
    <Note tone={isIncomplete ? 'bad' : 'warn'} title={headline} actions={actions}>
      {rest && <span>{rest}.</span>}
      {cause?.remedy && <span>{knownText(cause, 'remedy') ?? remedyText(cause.remedy)}</span>}
      {cause?.diagnosis && <Evidence {...cause.diagnosis} />}
      {error && (
        <span>
          {texts.what}: {stepName(error.step)}
          {cause ? '' : `: ${causeText(error.message)}`}
        </span>
      )}
      {error?.detail && (
        <span>
          <small>{error.detail}</small>
        </span>
      )}
      {isIncomplete && <span>{failure.reason}</span>}
    </Note>
  );
}
