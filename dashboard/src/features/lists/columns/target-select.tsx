import parts from '../../../components/components.module.css';
import { listsText } from '../messages.ts';
import type { Mapping } from '../queries.ts';
import { customPrefix, proposeName } from './mapping-rules.ts';
import { fieldGroups, targetName } from './targets.ts';

interface TargetSelectProps {
  label: string;
  mapping: Mapping;
  onChange(to: Pick<Mapping, 'target'>): void;
}

const own = 'own';

/** Where a column goes: a field of the person, a field of the tenant's own, or nowhere. */
export function TargetSelect({ label, mapping: { source, target, alternatives = [] }, onChange }: TargetSelectProps) {
  const { groups, fields, own: ownLabel, skip } = listsText.targets;
  const isOwn = target.startsWith(customPrefix);
  const suggested = alternatives.map((one) => one.target).filter((one) => one in fields && one !== target);
  return (
    <select
      className={parts.control}
      aria-label={label}
      value={isOwn ? own : target}
      onChange={({ target: { value } }) => {
        const known = [target, ...alternatives.map((one) => one.target)].find((one) => one.startsWith(customPrefix));
        onChange({ target: value === own ? (known ?? `${customPrefix}${proposeName(source)}`) : value });
      }}
    >
      {suggested.length > 0 && (
        <optgroup label={groups.suggested}>
          {suggested.map((one) => (
            <option key={one} value={one}>
              {targetName(one)}
            </option>
          ))}
        </optgroup>
      )}
      {Object.entries(fieldGroups).map(([group, names]) => {
        const rest = names.filter((name) => !suggested.includes(name));
        return (
          rest.length > 0 && (
            <optgroup key={group} label={groups[group as keyof typeof fieldGroups]}>
              {rest.map((name) => (
                <option key={name} value={name}>
                  {targetName(name)}
                </option>
              ))}
            </optgroup>
          )
        );
      })}
      <optgroup label={groups.other}>
        <option value={own}>{ownLabel}</option>
        <option value="skip">{skip}</option>
      </optgroup>
    </select>
  );
}
