import { Button } from '../parts/button.tsx';
import { CopyField } from '../parts/copy-field.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { usersText } from '../text/users.ts';

export interface HandedOver {
  username: string;
  password: string;
}

/** What somebody needs to sign in, shown once. */
export const HandOver = ({ username, password, onClose }: HandedOver & { onClose(): void }) => (
  <Overlay place="middle" title={usersText.handOver.title(username)} hint={usersText.handOver.hint} onClose={onClose}>
    <div className={parts.form}>
      <CopyField label={usersText.handOver.address} value={`${location.origin}/`} />
      <CopyField label={usersText.handOver.username} value={username} />
      <CopyField label={usersText.handOver.password} value={password} />
      <div className={parts.formEnd}>
        <Button look="primary" onClick={onClose}>
          {usersText.handOver.done}
        </Button>
      </div>
    </div>
  </Overlay>
);
