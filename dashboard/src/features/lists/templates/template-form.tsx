import { useForm } from 'react-hook-form';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import { listsText } from '../messages.ts';
import { templatesQuery } from '../queries.ts';

type Template = components['schemas']['ImportTemplate'];

/** A template's query keys. */
interface TemplateNames {
  name: string;
  description: string;
}

interface TemplateFormProps {
  words: { title: string; hint: string; submit: string };
  /** The current values; empty for a new one. */
  names?: TemplateNames;
  save(names: TemplateNames): Promise<Template>;
  onSaved(name: string): void;
  onClose(): void;
}

/** Asks for a template's name and description, and saves it. */
export function TemplateForm(props: TemplateFormProps) {
  const { words, names = { name: '', description: '' }, save, onSaved, onClose } = props;
  const form = useForm({ defaultValues: names });
  const labels = listsText.templates;
  const { onSubmit, isPending, error } = useSubmission(form, {
    send: save,
    onSuccess(saved) {
      void queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onSaved(plainText(saved.name));
      onClose();
    },
  });
  return (
    <Overlay place="middle" title={words.title} hint={words.hint} onClose={onClose}>
      <form className={parts.form} onSubmit={onSubmit}>
        <FormText control={form.control} name="name" label={labels.name} autoFocus />
        <FormText control={form.control} name="description" label={labels.description} type="textarea" />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={form.watch('name').trim() === '' || isPending}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
