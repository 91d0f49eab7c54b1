import { ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { text } from '../text/en.ts';

export const NotFound = () => (
  <Empty title={text.notFound.title} hint={text.notFound.hint}>
    <ButtonLink to="/" look="primary">
      {text.notFound.back}
    </ButtonLink>
  </Empty>
);
