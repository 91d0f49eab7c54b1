import { Empty } from '../components/feedback/empty.tsx';
import { ButtonLink } from '../components/form/button.tsx';
import { text } from '../lib/messages.ts';

export const NotFound = () => (
  <Empty title={text.notFound.title} hint={text.notFound.hint}>
    <ButtonLink to="/" look="primary">
      {text.notFound.back}
    </ButtonLink>
  </Empty>
);
