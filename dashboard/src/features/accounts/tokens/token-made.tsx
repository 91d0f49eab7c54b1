import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { CopyField } from '../../../components/form/copy-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { tokensText } from './messages.ts';
import type { CreatedToken } from './queries.ts';

/** A new token in clear, this once, with a line that tries it. */
export const TokenMade = ({ made: { name, token }, onClose }: { made: CreatedToken; onClose(): void }) => (
  <Overlay place="middle" title={tokensText.made.title(name)} hint={tokensText.made.hint} onClose={onClose}>
    <div className={parts.form}>
      <CopyField label={tokensText.made.token} value={token} />
      <CopyField
        label={tokensText.made.example}
        value={`curl --header "Authorization: Bearer ${token}" ${location.origin}/api/tenants`}
      />
      <div className={parts.formEnd}>
        <Button look="primary" onClick={onClose}>
          {tokensText.made.done}
        </Button>
      </div>
    </div>
  </Overlay>
);
