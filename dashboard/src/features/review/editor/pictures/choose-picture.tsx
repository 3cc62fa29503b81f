import { Button, Group } from "@mantine/core";
import IconPhoto from "@tabler/icons-react/dist/esm/icons/IconPhoto.mjs";
import { type ReactNode, useRef, useState } from "react";
import { lazyComponent, LazyPart } from "../../../../shared/lazy-part.tsx";
import type { PictureTask } from "./picture-task.ts";
import type { PictureValues } from "./picture-values.ts";

const PictureDialog = lazyComponent(() => import("./picture-dialog.tsx"), "PictureDialog");

interface ChoosePictureProps {
  pictureUrl: (src: string) => string | null;
  onChosen: (picture: PictureValues) => void;
}

/** Chooses the picture of a field, in the dialog that adds pictures to the text. */
export function ChoosePicture({ pictureUrl, onChosen }: ChoosePictureProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const [task, setTask] = useState<PictureTask | null>(null);
  const [count, setCount] = useState(0);
  return (
    <Group>
      <Button
        ref={button}
        variant="default"
        leftSection={<IconPhoto size={16} aria-hidden />}
        onClick={() => {
          setTask({ kind: "choose", key: count });
          setCount(count + 1);
        }}
      >
        Choose picture
      </Button>
      {count > 0 && (
        <LazyPart fallback={null}>
          <PictureDialog
            task={task}
            pictureUrl={pictureUrl}
            onDone={([picture]) => picture !== undefined && onChosen(picture)}
            onClose={() => {
              setTask(null);
              // When the dialog has closed, it returns the focus itself.
              setTimeout(() => button.current?.focus());
            }}
          />
        </LazyPart>
      )}
    </Group>
  );
}
