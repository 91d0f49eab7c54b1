import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { plainText } from '../parts/plain-text.ts';
import { TextField } from '../parts/text-field.tsx';
import { text } from '../text/en.ts';
import { listsText } from '../text/lists.ts';
import { type Mapping, templatesQuery } from './list-queries.ts';

interface SaveTemplateProps {
  mappings: readonly Mapping[];
  onSaved(name: string): void;
  onClose(): void;
}

/** Asks for a template's name, and keeps the choices under it. */
export function SaveTemplate({ mappings, onSaved, onClose }: SaveTemplateProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const words = listsText.templates;
  const save = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/import-templates', { body: { name, description, mappings: [...mappings] } })),
    onSuccess(saved) {
      void queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onSaved(plainText(saved.name));
      onClose();
    },
  });
  const wrong = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <Overlay place="middle" title={words.saveTitle} hint={words.saveHint} onClose={onClose}>
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextField name="name" label={words.name} value={name} onChange={setName} error={wrong.name} autoFocus />
        <TextField
          name="description"
          label={words.description}
          type="textarea"
          value={description}
          onChange={setDescription}
          error={wrong.description}
        />
        {!wrong.name && !wrong.description && <ErrorNote error={save.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button look="primary" type="submit" disabled={name.trim() === '' || save.isPending}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
