import type { ComponentProps } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { CheckField } from './check-field.tsx';
import { SelectField } from './select-field.tsx';
import { TextField } from './text-field.tsx';

interface InForm<V extends FieldValues> {
  control: Control<V>;
  name: FieldPath<V>;
}

type Props<V extends FieldValues, P> = InForm<V> & Omit<P, keyof InForm<V> | 'value' | 'checked' | 'onChange'>;

type FormTextProps<V extends FieldValues> = Props<V, ComponentProps<typeof TextField>> & {
  /** The error of a value, besides the manager's. */
  validate?(value: string): string | undefined;
  /** Shown until the user changes it. */
  proposed?: string;
};

/** A form's text, with its error. */
export function FormText<V extends FieldValues>({
  control,
  name,
  validate,
  proposed = '',
  error,
  ...rest
}: FormTextProps<V>) {
  const { field, fieldState } = useController({ control, name, rules: validate ? { validate } : {} });
  const { value = proposed, onChange } = field;
  const wrong = fieldState.error?.message ?? error;
  return <TextField {...rest} name={name} value={value} onChange={onChange} error={wrong} />;
}

/** A form's choice. */
export function FormSelect<V extends FieldValues>(props: Props<V, ComponentProps<typeof SelectField<string>>>) {
  const { control, name, ...rest } = props;
  const { field } = useController({ control, name });
  return <SelectField {...rest} value={field.value} onChange={field.onChange} />;
}

/** A form's check mark. */
export function FormCheck<V extends FieldValues>(props: Props<V, ComponentProps<typeof CheckField>>) {
  const { control, name, ...rest } = props;
  const { field } = useController({ control, name });
  return <CheckField {...rest} checked={field.value} onChange={field.onChange} />;
}
