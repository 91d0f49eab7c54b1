import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
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
export function TemplateForm({ words, names, save, onSaved, onClose }: TemplateFormProps) {
  const [name, setName] = useState(names?.name ?? '');
  const [description, setDescription] = useState(names?.description ?? '');
  const labels = listsText.templates;
  const saving = useMutation({
    mutationFn: () => save({ name, description }),
    onSuccess(saved) {
      void queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onSaved(plainText(saved.name));
      onClose();
    },
  });
  const wrong = saving.error instanceof ApiError ? saving.error.fields : {};
  return (
    <Overlay place="middle" title={words.title} hint={words.hint} onClose={onClose}>
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <TextField name="name" label={labels.name} value={name} onChange={setName} error={wrong.name} autoFocus />
        <TextField
          name="description"
          label={labels.description}
          type="textarea"
          value={description}
          onChange={setDescription}
          error={wrong.description}
        />
        {!wrong.name && !wrong.description && <ErrorNote error={saving.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={name.trim() === '' || saving.isPending}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
