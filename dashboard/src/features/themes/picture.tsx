import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { pictureQuery } from './queries.ts';

/** An address for a file's content, as long as the component is there. */
export function useObjectUrl(content: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!content) return;
    const made = URL.createObjectURL(content);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [content]);
  return url;
}

/** The content of a picture from the manager, once loaded. */
export function useServedPicture(place: string | null | undefined): Blob | undefined {
  const { data } = useQuery({ ...pictureQuery(place ?? ''), enabled: Boolean(place) });
  return data;
}

interface PictureProps {
  content: Blob | undefined;
  alt: string;
  className?: string | undefined;
}

/** A picture, where the content is one; nothing of what a drawing may hold runs in it. */
export function Picture({ content, alt, className }: PictureProps) {
  const url = useObjectUrl(content);
  const [broken, setBroken] = useState<string>();
  if (!url || url === broken) return null;
  return <img src={url} alt={alt} onError={() => setBroken(url)} {...(className ? { className } : {})} />;
}

export const ServedPicture = ({ place, ...rest }: Omit<PictureProps, 'content'> & { place: string | null }) => (
  <Picture content={useServedPicture(place)} {...rest} />
);
