import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./image-preview.module.css";

/** A picture of anywhere, with its alternative text below; if it does not come, that is said. */
export function ImagePreview({ url, alt }: { url: string; alt: string }): ReactNode {
  // Another address may well be right.
  const [broken, setBroken] = useState<string | null>(null);
  const isShowable = /^https?:\/\//i.test(url);
  return (
    <figure className={classes.root}>
      <div className={classes.frame}>
        {isShowable && broken !== url ? (
          <img
            key={url}
            src={url}
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
