import type { ComponentProps } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { CheckField } from './check-field.tsx';
import { SelectField } from './select-field.tsx';
import { TextField } from './text-field.tsx';

interface InForm<V extends FieldValues> {
  control: Control<V>;
  name: FieldPath<V>;
}

type Props<V extends FieldValues, P> = InForm<V> & Omit<P, keyof InForm<V> | 'value' | 'checked' | 'error'>;

/** A form's text, with its error. `onChange` is told of the user's changes, too. */
export function FormText<V extends FieldValues>(props: Props<V, ComponentProps<typeof TextField>>) {
  const { control, name, onChange, ...rest } = props;
  const { field, fieldState } = useController({ control, name });
  return (
    <TextField {...rest} name={name} value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
  );
}

/** A form's choice. */
export function FormSelect<V extends FieldValues>(
  props: Omit<Props<V, ComponentProps<typeof SelectField<string>>>, 'onChange'>,
) {
  const { control, name, ...rest } = props;
  const { field } = useController({ control, name });
  return <SelectField {...rest} value={field.value} onChange={field.onChange} />;
}

/** A form's check mark. */
export function FormCheck<V extends FieldValues>(props: Omit<Props<V, ComponentProps<typeof CheckField>>, 'onChange'>) {
  const { control, name, ...rest } = props;
  const { field } = useController({ control, name });
  return <CheckField {...rest} checked={field.value} onChange={field.onChange} />;
}
