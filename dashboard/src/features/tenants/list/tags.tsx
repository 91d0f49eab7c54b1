import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { tenantsText } from '../messages.ts';
import styles from './tags.module.css';

type Color = components['schemas']['Tag']['color'];

export const tagsQuery = queryOptions({
  queryKey: ['tenants', 'tags'],
  queryFn: async () => (await dataOf(api.GET('/api/tags'))).tags,
});

/** Labels in the colours of their tags; a tag has no dot, as states have. */
export function Tags({ names }: { names: readonly string[] }) {
  const { data = [] } = useQuery(tagsQuery);
  return (
    <span className={styles.tags} title={names.join(', ')}>
      {names.map((name) => (
        <span key={name} className={styles.tag} data-color={data.find((tag) => tag.name === name)?.color}>
          {name}
        </span>
      ))}
    </span>
  );
}

/** The names in a text, which are separated by commas. */
export const tagsIn = (given: string): string[] =>
  given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Changes the colours of tags. */
export function TagColors({ onClose }: { onClose(): void }) {
  const { data = [] } = useQuery(tagsQuery);
  const save = useMutation({
    mutationFn: ({ name, color }: { name: string; color: Color }) =>
      dataOf(api.PUT('/api/tags/{name}', { params: { path: { name } }, body: { color } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey }),
    onError: notifyError,
  });
  return (
    <Overlay place="middle" title={tenantsText.tags.title} hint={tenantsText.tags.hint} onClose={onClose}>
      <ul className={styles.colors}>
        {data.map(({ name, color, tenants: count }) => (
          <li key={name}>
            <Tags names={[name]} />
            <span className={styles.count}>{tenantsText.tags.tenants(count)}</span>
            <SelectField
              bare
              label={tenantsText.tags.colorOf(name)}
              value={color}
              options={tenantsText.tags.colors}
              onChange={(next) => save.mutate({ name, color: next })}
            />
          </li>
        ))}
      </ul>
    </Overlay>
  );
}
