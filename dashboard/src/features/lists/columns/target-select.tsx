import { Select } from '../../../components/form/select.tsx';
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
  const option = (name: string) => ({ value: name, label: targetName(catalogue, name) });
  const groups = [
    { label: suggestions, options: suggested.map(option) },
    ...catalogue.groups.map(({ name, label: groupLabel }) => ({
      label: groupLabel,
      options: catalogue.fields
        .filter((field) => field.group === name && !suggested.includes(field.name))
        .map((field) => option(field.name)),
    })),
    {
      label: other,
      options: [
        { value: own, label: ownLabel },
        { value: 'skip', label: skip },
      ],
    },
  ];
  return (
    <Select
      groups={groups.filter(({ options }) => options.length > 0)}
      value={isOwn ? own : target}
      onChange={(value) => {
        const known = [target, ...alternatives.map((one) => one.target)].find((one) => one.startsWith(customPrefix));
        onChange({ target: value === own ? (known ?? `${customPrefix}${proposeName(source)}`) : value });
      }}
      trigger={{ 'aria-label': label }}
    />
  );
}
