import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./image-preview.module.css";

/** Shows an image, loaded from `src`, with its alternative text, or a message if it cannot be loaded. */
export function ImagePreview({ url, alt, src = url }: { url: string; alt: string; src?: string }): ReactNode {
  // Another URL may be correct.
  const [broken, setBroken] = useState<string | null>(null);
  const isShowable = /^https?:\/\//i.test(url);
  return (
    <figure className={classes.root}>
      <div className={classes.frame}>
        {isShowable && broken !== url ? (
          <img
            key={url}
            src={src}
            alt={alt}
            loading="lazy"
            decoding="async"
            referrerPolicy="no-referrer"
            onError={() => setBroken(url)}
          />
        ) : (
          <Text size="xs" c="dimmed">
            {isShowable ? "The image cannot be loaded." : "A URL begins with https://."}
          </Text>
        )}
      </div>
      <Text component="figcaption" size="xs" c="dimmed">
        {alt === "" ? "No alternative text." : alt}
      </Text>
    </figure>
  );
}
