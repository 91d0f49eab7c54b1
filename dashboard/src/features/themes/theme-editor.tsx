import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { FullTenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { LeaveGuard } from '../../components/feedback/leave-guard.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { useFocusRefused } from '../../hooks/use-focus-refused.ts';
import { servicesQuery } from '../tenant/overview/queries.ts';
import { type Colours, coloursOfSuggestion, coloursOfTheme, sameColours, type Theme } from './colours.ts';
import { ColourFields } from './editor/colour-fields.tsx';
import { LogoFields } from './editor/logo-fields.tsx';
import { SaveBar } from './editor/save-bar.tsx';
import { useDraft } from './editor/use-draft.ts';
import { themeText } from './messages.ts';
import { Origin } from './origin.tsx';
import { useServedPicture } from './picture.tsx';
import { themeQuery } from './queries.ts';
import { type Changed, type LogoChanges, saveTheme } from './save-theme.ts';
import styles from './theme.module.css';
import { SitePreview } from './website/site-preview.tsx';
import { useAnalysis } from './website/use-analysis.ts';
import { WebsitePart } from './website/website-part.tsx';

/** Edits a theme with a preview before saving. */
export function ThemeEditor({ tenant, theme }: { tenant: FullTenant; theme: Theme }) {
  const form = useId();
  const fields = useRef<HTMLFormElement>(null);
  const draft = useDraft(theme);
  const [logos, setLogos] = useState<LogoChanges>({});
  const { colours, changed } = draft;
  const changes = changed.length + Object.keys(logos).length;
  const suggestionId = useSuggestionOf(tenant.id, colours);
  const save = useMutation({
    mutationFn: () => {
      const some = Object.fromEntries(changed.map((field) => [field, colours[field]]));
      return saveTheme(tenant.id, {
        colours: some,
        logos,
        suggestionId: changed.length > 0 ? suggestionId : undefined,
      });
    },
    onSuccess(answer) {
      keep(tenant.id, answer);
      draft.clear();
      setLogos({});
      notify(themeText.saved[answer.applied]);
    },
    // Logos may have been saved before the colours were rejected.
    onError: () => void queryClient.invalidateQueries({ queryKey: themeQuery(tenant.id).queryKey }),
  });
  useFocusRefused(fields, save.error);
  const refused = refusedFields(save.error, logos);
  const pictures = usePictures(theme, logos);
  return (
    <>
      <form
        id={form}
        ref={fields}
        className={styles.editor}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.wrong.length === 0 && !save.isPending) save.mutate();
        }}
      >
        <div className={styles.column}>
          <ColourFields draft={draft} refused={refused} />
          <LogoFields
            theme={theme}
            changes={logos}
            onChange={(next) => {
              save.reset();
              setLogos(next);
            }}
            refused={refused}
          />
        </div>
        <div className={styles.editorColumns}>
          <SitePreview name={tenant.name} colours={colours} {...pictures} />
          <p className={styles.fine}>{themeText.previewHint}</p>
          <Origin theme={theme} />
        </div>
      </form>
      <LeaveGuard unsaved={changes > 0} comesBack={Object.keys(logos).length === 0} />
      <SaveBar
        form={form}
        changes={changes}
        saving={save.isPending}
        refused={Object.keys(refused).length > 0}
        disabled={draft.wrong.length > 0}
        error={Object.keys(refused).length === 0 ? save.error : null}
        onDiscard={() => {
          draft.clear();
          setLogos({});
          save.reset();
        }}
      />
      <WebsitePart
        tenant={tenant}
        saved={coloursOfTheme(theme)}
        colours={colours}
        onColours={draft.set}
        onLogo={(field, file) => setLogos((before) => ({ ...before, [field]: file }))}
      />
    </>
  );
}

function keep(id: string, { theme, applied }: Changed): void {
  queryClient.setQueryData(themeQuery(id).queryKey, theme);
  queryClient.setQueryData(servicesQuery(id).queryKey, (known) =>
    known && applied !== 'restarted' ? { ...known, applied } : known,
  );
}

/** The suggestion of the open analysis with these colours. */
function useSuggestionOf(tenantId: string, colours: Colours): string | undefined {
  const { analysis } = useAnalysis(tenantId);
  return analysis?.suggestions.find((one) => sameColours(coloursOfSuggestion(one), colours))?.id;
}

/** The manager's field errors; a too-large file is named if it is the only one. */
function refusedFields(error: unknown, logos: LogoChanges): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const [only, ...more] = Object.keys(logos);
  if (error.code === 'payload_too_large' && only && more.length === 0) return { [only]: themeText.tooLarge };
  return error.fields;
}

/** The logos after saving. */
function usePictures(theme: Theme, logos: LogoChanges) {
  const full = useServedPicture(theme.logo_full);
  const icon = useServedPicture(theme.logo_icon);
  const logo = logos.logo_full === undefined ? full : (logos.logo_full ?? undefined);
  return { logo, icon: logos.logo_icon === undefined ? icon : (logos.logo_icon ?? undefined) };
}
