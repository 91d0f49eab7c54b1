import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { CopyField } from '../../../components/form/copy-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { usersText } from './messages.ts';

export interface HandedOver {
  username: string;
  password: string;
}

/** The credentials of a new user, shown once. */
export const HandOver = ({ username, password, onClose }: HandedOver & { onClose(): void }) => (
  <Overlay place="middle" title={usersText.handOver.title(username)} hint={usersText.handOver.hint} onClose={onClose}>
    <div className={parts.form}>
      <CopyField label={usersText.handOver.address} value={`${location.origin}/`} />
      <CopyField label={usersText.handOver.username} value={username} />
      <CopyField label={usersText.handOver.password} value={password} />
      <div className={parts.formEnd}>
        <Button variant="primary" onClick={onClose}>
          {usersText.handOver.done}
        </Button>
      </div>
    </div>
  </Overlay>
);
