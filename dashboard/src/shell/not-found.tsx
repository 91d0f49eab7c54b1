import { Empty } from '../components/feedback/empty.tsx';
import { ButtonLink } from '../components/form/button.tsx';
import { shellText } from './messages.ts';

export const NotFound = () => (
  <Empty heading="h1" title={shellText.notFound.title} hint={shellText.notFound.hint}>
    <ButtonLink to="/tenants" variant="primary">
      {shellText.notFound.back}
    </ButtonLink>
  </Empty>
);
