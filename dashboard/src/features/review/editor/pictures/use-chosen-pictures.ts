import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Asset } from "../../../../../../src/http/admin/contract/assets.ts";
import { toMessage } from "../../../../shared/error-note.tsx";
import { type PictureUpload, PictureUploads } from "../../../../shared/picture-uploads.ts";
import { refreshPictures, saveAlt } from "../../../../shared/pictures.ts";
import { toast } from "../../../../shared/toasts.ts";
import type { PictureValues } from "./picture-values.ts";

export interface ChosenItem extends StoredItem {
  upload: PictureUpload | null;
}

interface StoredItem {
  key: number;
  name: string;
  /** `src` is empty until its upload is done. */
  values: PictureValues;
  /** The picture in the library; null if it is not there. */
  asset: Asset | null;
  uploadId: number | null;
  /** Whether the library gets the alternative text, although it has another one. */
  isAlsoInLibrary: boolean;
}

/** The pictures that are chosen in the dialog. `former`: the one that is changed. Unless `isMany`, only the last one stays. */
export function useChosenPictures(websiteId: string, former: PictureValues | null, isMany: boolean) {
  const client = useQueryClient();
  const nextKey = useRef(1);
  const [stored, setItems] = useState<StoredItem[]>(() => (former === null ? [] : [toItem(0, former.src, former)]));
  const [uploads] = useState(
    () =>
      new PictureUploads(websiteId, ({ id, state, asset }) => {
        if (state === "cancelled") setItems((all) => all.filter(({ uploadId }) => uploadId !== id));
        if (asset === null) return;
        setItems((all) => all.map((item) => (item.uploadId === id ? withAsset(item, asset) : item)));
        void refreshPictures(client, websiteId);
      }),
  );
  useEffect(() => () => uploads.cancelAll(), [uploads]);
  const running = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const items = stored.map((item): ChosenItem => ({
    ...item,
    upload: running.find(({ id }) => id === item.uploadId) ?? null,
  }));

  function add(name: string, src: string, more: Partial<StoredItem> = {}): void {
    const key = nextKey.current;
    nextKey.current += 1;
    setItems((all) => {
      // A replaced picture keeps its caption and size. Its alternative text does not describe another one.
      const kept = former === null ? EMPTY : { ...EMPTY, caption: all[0]?.values.caption ?? "", width: former.width };
      const item = { ...toItem(key, name, { ...kept, src, alt: more.asset?.alt ?? "" }), ...more };
      return isMany ? [...all, item] : [item];
    });
  }

  function addAsset(asset: Asset): void {
    if (!stored.some((item) => item.asset?.id === asset.id)) add(asset.name, asset.url, { asset });
  }

  function addFiles(files: readonly File[]): void {
    if (!isMany) uploads.cancelAll();
    const some = isMany ? files : files.slice(0, 1);
    for (const [index, uploadId] of uploads.add(some).entries()) add(some[index]?.name ?? "", "", { uploadId });
  }

  function remove({ key, uploadId }: StoredItem): void {
    if (uploadId !== null) uploads.cancel(uploadId);
    setItems((all) => all.filter((item) => item.key !== key));
  }

  function toggle(asset: Asset): void {
    const found = stored.find((item) => item.asset?.id === asset.id);
    if (found === undefined) addAsset(asset);
    else remove(found);
  }

  function change(key: number, values: Partial<PictureValues>, isAlsoInLibrary?: boolean): void {
    setItems((all) =>
      all.map((item) => {
        if (item.key !== key) return item;
        const isAlso = isAlsoInLibrary ?? item.isAlsoInLibrary;
        return { ...item, values: { ...item.values, ...values }, isAlsoInLibrary: isAlso };
      }),
    );
  }

  /** Gives the library the alternative texts that it lacks or shall have. `known`: the picture that is changed. */
  function saveAlts(known: Asset | undefined): void {
    const changed = stored.flatMap(({ asset, values, isAlsoInLibrary }) => {
      const one = asset ?? (values.src === former?.src ? known : undefined);
      const alt = values.alt.trim();
      if (one === undefined || alt === "" || alt === one.alt || (one.alt !== "" && !isAlsoInLibrary)) return [];
      return [saveAlt(one.id, alt)];
    });
    if (changed.length === 0) return;
    Promise.all(changed).then(
      () => refreshPictures(client, websiteId),
      (error: unknown) => toast(`The alternative text is in the article, but not in Pictures. ${toMessage(error)}`),
    );
  }

  return { items, addAsset, addFiles, addLink: (src: string) => add(src, src), remove, toggle, change, saveAlts };
}

const EMPTY: PictureValues = { src: "", alt: "", caption: "", width: null };

function toItem(key: number, name: string, { src, alt, caption, width }: PictureValues): StoredItem {
  const values = { src, alt, caption, width };
  return { key, name, values, asset: null, uploadId: null, isAlsoInLibrary: false };
}

function withAsset(item: StoredItem, asset: Asset): StoredItem {
  const { values } = item;
  return { ...item, asset, values: { ...values, src: asset.url, alt: values.alt === "" ? asset.alt : values.alt } };
}
