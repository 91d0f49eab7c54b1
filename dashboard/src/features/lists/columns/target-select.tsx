import parts from '../../../components/components.module.css';
import { listsText } from '../messages.ts';
import type { Mapping } from '../queries.ts';
import { targetName, useCatalogue } from './catalogue.ts';
import { customPrefix, proposeName } from './mapping-rules.ts';

interface TargetSelectProps {
  label: string;
  mapping: Mapping;
  onChange(to: Pick<Mapping, 'target'>): void;
}

const own = 'own';

/** A column's target: a person field, a custom field, or none. */
export function TargetSelect({ label, mapping: { source, target, alternatives = [] }, onChange }: TargetSelectProps) {
  const { suggestions, own: ownLabel, other, skip } = listsText.targets;
  const catalogue = useCatalogue();
  const isOwn = target.startsWith(customPrefix);
  const suggested = alternatives
    .map((one) => one.target)
    .filter((one) => one !== target && catalogue.fields.some(({ name }) => name === one));
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
        <optgroup label={suggestions}>
          {suggested.map((one) => (
            <option key={one} value={one}>
              {targetName(catalogue, one)}
            </option>
          ))}
        </optgroup>
      )}
      {catalogue.groups.map((group) => {
        const rest = catalogue.fields.filter((field) => field.group === group.name && !suggested.includes(field.name));
        return (
          rest.length > 0 && (
            <optgroup key={group.name} label={group.label}>
              {rest.map(({ name, label: fieldLabel }) => (
                <option key={name} value={name}>
                  {fieldLabel}
                </option>
              ))}
            </optgroup>
          )
        );
      })}
      <optgroup label={other}>
        <option value={own}>{ownLabel}</option>
        <option value="skip">{skip}</option>
      </optgroup>
    </select>
  );
}
