import { Button } from '../parts/button.tsx';
import { CopyField } from '../parts/copy-field.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { tokensText } from '../text/tokens.ts';
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
