import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Badge } from '../../../components/data/badge.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { notificationsText } from '../messages.ts';
import { rulesText } from './messages.ts';
import { sentenceOf, useChoices } from './names.ts';
import { deleteRule, type Rule, rulesQuery } from './queries.ts';
import { RuleForm } from './rule-form.tsx';
import styles from './rules.module.css';

/** The rules of notifications, for administrators. */
export function RulesSection() {
  const { data, error } = useQuery(rulesQuery);
  const choices = useChoices();
  const [editing, setEditing] = useState<Rule | 'new'>();
  const [deleting, setDeleting] = useState<Rule>();
  const { section, hint, add, emptyTitle, emptyHint } = rulesText;
  const addButton = (
    <Button variant="primary" onClick={() => setEditing('new')}>
      <Icon name="add" />
      {add}
    </Button>
  );
  return (
    <>
      <PagePart title={section} hint={hint}>
        {data && data.length > 0 && addButton}
      </PagePart>
      {!data && <Waiting error={error} />}
      {data?.length === 0 && (
        <Empty title={emptyTitle} hint={emptyHint}>
          {addButton}
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className={styles.rules} aria-label={section}>
          {data.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              sentence={sentenceOf(rule, choices)}
              onEdit={() => setEditing(rule)}
              onDelete={() => setDeleting(rule)}
            />
          ))}
        </ul>
      )}
      {editing && (
        <RuleForm
          rule={editing === 'new' ? undefined : editing}
          choices={choices}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && (
        <Confirm
          bad
          title={rulesText.deleting.title}
          hint={rulesText.deleting.hint(sentenceOf(deleting, choices))}
          submit={rulesText.deleting.submit}
          act={() => deleteRule(deleting.id)}
          onDone={() => notify(rulesText.deleting.done)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

interface RuleRowProps {
  rule: Rule;
  sentence: string;
  onEdit(): void;
  onDelete(): void;
}

function RuleRow({ rule: { enabled, digest_minutes, quiet_hours }, sentence, onEdit, onDelete }: RuleRowProps) {
  return (
    <li className={`${parts.card} ${styles.rule}`} data-off={!enabled || undefined}>
      <div>
        <p>
          {!enabled && <Badge tone="plain">{rulesText.off}</Badge>} {sentence}
        </p>
        {digest_minutes !== null && <small>{rulesText.digest(digest_minutes)}</small>}
        {quiet_hours && (
          <small>
            {rulesText.quiet(
              quiet_hours.from,
              quiet_hours.to,
              quiet_hours.time_zone.replaceAll('_', ' '),
              notificationsText.severities[quiet_hours.except],
            )}
          </small>
        )}
      </div>
      <div className={styles.actions}>
        <Button aria-label={rulesText.editOf(sentence)} onClick={onEdit}>
          {rulesText.edit}
        </Button>
        <Button aria-label={rulesText.deleteOf(sentence)} onClick={onDelete}>
          {rulesText.delete}
        </Button>
      </div>
    </li>
  );
}
