import { useMutation } from '@tanstack/react-query';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';

interface Submission<V, R> {
  send(values: V): Promise<R>;
  onSuccess(result: R, values: V): unknown;
  /** Errors by the form's fields, where they differ from the manager's. */
  errorsOf?(error: ApiError, values: V): Record<string, string>;
}

/** Sends a form to the manager, whose field errors appear at the fields; `error` is any other one. */
export function useSubmission<V extends FieldValues, R>(form: UseFormReturn<V>, options: Submission<V, R>) {
  const { send, onSuccess, errorsOf = ({ fields }) => fields } = options;
  const ofFields = (error: unknown, values: V): [string, string][] =>
    error instanceof ApiError ? Object.entries(errorsOf(error, values)).filter(([name]) => name in values) : [];
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: send,
    onSuccess,
    onError(refusal, values) {
      for (const [name, message] of ofFields(refusal, values)) form.setError(name as FieldPath<V>, { message });
    },
  });
  return {
    onSubmit: form.handleSubmit((values) => {
      if (!isPending) mutate(values);
    }),
    isPending,
    error: variables && ofFields(error, variables).length > 0 ? null : error,
  };
}
