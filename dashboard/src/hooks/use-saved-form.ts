import { type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';

/** A form of saved values: untouched fields follow them, edited ones keep their value and error. */
export const useSavedForm = <V extends FieldValues>(values: V): UseFormReturn<V> =>
  // By `onChange`, editing a field clears the manager's error.
  useForm<V>({ values, mode: 'onChange', resetOptions: { keepDirtyValues: true, keepErrors: true } });

/** Goes back to the saved values, or to these. */
export const discard = <V extends FieldValues>(form: UseFormReturn<V>, values?: V): void =>
  form.reset(values, { keepDirtyValues: false, keepErrors: false });
