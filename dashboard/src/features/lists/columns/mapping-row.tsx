import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Mapping } from '../queries.ts';
import { targetName, useCatalogue } from './catalogue.ts';
import columns from './columns.module.css';
import { type Clash, customPrefix, isBadName, transformOf, transformsFor } from './mapping-rules.ts';
import { TargetSelect } from './target-select.tsx';

interface MappingRowProps {
  mapping: Mapping;
  samples: readonly string[];
  clash: Clash | undefined;
  /** The manager's objection. */
  refused: string | undefined;
  /** Whether another column has the same target. */
  shared: boolean;
  editable: boolean;
  onChange(to: Pick<Mapping, 'target' | 'transform'>): void;
  onJoin(): void;
}

/** A column: its content, target, transform and the confidence of the suggestion. */
export function MappingRow(props: MappingRowProps) {
  const { mapping, samples, clash, refused, shared, editable, onChange, onJoin } = props;
  const { source, target } = mapping;
  const column = plainText(source);
  const id = useId();
  const catalogue = useCatalogue();
  const transforms = transformsFor(catalogue, target, shared || mapping.transform === 'join');
  const chosen = transformOf(catalogue, mapping);
  const transformNames = Object.fromEntries(catalogue.transforms.map((one) => [one.name, one.label]));
  const { noValues, targetOf, howOf, clash: clashes, joinBoth, customName, badName } = listsText.columns;
  const bad = isBadName(target);
  return (
    <li className={columns.mapping} data-skipped={target === 'skip' || undefined}>
      <div className={columns.source}>
        <strong>{column}</strong>
        {samples.length === 0 ? (
          <span className={styles.fine}>{noValues}</span>
        ) : (
          <ul className={columns.samples}>
            {samples.map((value) => (
              <li key={value}>{value}</li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <span className={columns.caption} aria-hidden="true">
          {listsText.columns.target}
        </span>
        {editable ? (
          <TargetSelect label={targetOf(column)} mapping={mapping} onChange={onChange} />
        ) : (
          <span>{targetName(catalogue, target)}</span>
        )}
        {editable && target.startsWith(customPrefix) && (
          <input
            className={parts.control}
            aria-label={customName(column)}
            aria-invalid={bad}
            {...(bad ? { 'aria-describedby': `${id}-bad` } : {})}
            value={target.slice(customPrefix.length)}
            maxLength={64}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ ...mapping, target: `${customPrefix}${event.target.value}` })}
          />
        )}
        {bad && (
          <span id={`${id}-bad`} className={parts.wrong}>
            {badName}
          </span>
        )}
        {clash && (
          <span className={parts.wrong}>
            {clashes(targetName(catalogue, clash.field), plainText(clash.other))}{' '}
            {clash.joinable && editable ? (
              <button type="button" className={columns.inline} onClick={onJoin}>
                {joinBoth}
              </button>
            ) : null}
          </span>
        )}
        {refused && <span className={parts.wrong}>{plainText(refused)}</span>}
      </div>
      <div className={columns.how}>
        {target !== 'skip' && (
          <span className={columns.caption} aria-hidden="true">
            {listsText.columns.how}
          </span>
        )}
        {transforms.length > 1 && editable ? (
          <SelectField
            bare
            label={howOf(column)}
            value={chosen}
            options={Object.fromEntries(transforms.map((name) => [name, transformNames[name]]))}
            onChange={(transform) => onChange({ target, transform })}
          />
        ) : (
          target !== 'skip' && <span className={styles.fine}>{transformNames[chosen]}</span>
        )}
      </div>
      <Confidence mapping={mapping} editable={editable} onChange={onChange} />
    </li>
  );
}

/** Ends the suggestion of a choice that a user once made; this list keeps it. */
function Forget({ id }: { id: string }) {
  const { forget, forgotten } = listsText.columns;
  const forgetting = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/learned-mappings/{id}', { params: { path: { id } } })),
    onSuccess: () => notify(forgotten),
    onError: notifyError,
  });
  if (forgetting.isSuccess) return null;
  return (
    <Button variant="quiet" disabled={forgetting.isPending} onClick={() => forgetting.mutate()}>
      {forget}
    </Button>
  );
}

function Confidence({ mapping, editable, onChange }: Pick<MappingRowProps, 'mapping' | 'editable' | 'onChange'>) {
  const { confidence, reason, learned_id, alternatives = [], target } = mapping;
  const { sure, percent, yourChoice, or } = listsText.columns;
  const catalogue = useCatalogue();
  const word = sure.find(([from]) => confidence >= from)?.[1];
  const others = alternatives.filter((one) => one.target !== target);
  const chosen = confidence === 1 && reason === undefined;
  return (
    <div className={columns.sureness}>
      {chosen ? (
        <strong data-sure>{yourChoice}</strong>
      ) : (
        confidence > 0 && (
          <>
            <strong data-sure={confidence >= 0.9 || undefined}>
              {word}, {percent(confidence)}
            </strong>
            {reason && <span className={styles.fine}>{plainText(apiText(listsText.reasons, reason))}</span>}
            {editable && learned_id && <Forget id={learned_id} />}
          </>
        )
      )}
      {editable && others.length > 0 && (
        <span className={columns.others}>
          <span className={styles.fine}>{or}</span>
          {others.map((one) => (
            <Button key={one.target} variant="quiet" onClick={() => onChange({ target: one.target })}>
              {targetName(catalogue, one.target)}
            </Button>
          ))}
        </span>
      )}
    </div>
  );
}
