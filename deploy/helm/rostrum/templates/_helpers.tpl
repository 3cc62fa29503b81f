{{- define "rostrum.name" -}}
{{- if contains "rostrum" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-rostrum{{ end }}
{{- end }}

{{- define "rostrum.selector" -}}
app.kubernetes.io/name: rostrum
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rostrum.labels" -}}
{{ include "rostrum.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "rostrum.check" -}}
{{- if and (eq .Values.database "postgres") (or (not .Values.secretName) (not .Values.secretSettings.DATABASE_URL) (not .Values.secretSettings.ROSTRUM_SECRET_KEY)) }}
{{- fail "With database=postgres, set secretName to a Secret that has the address of the database and the secret key, and name their keys in secretSettings.DATABASE_URL and secretSettings.ROSTRUM_SECRET_KEY." }}
{{- end }}
{{- if and (eq .Values.database "sqlite") .Values.secretSettings.DATABASE_URL }}
{{- fail "secretSettings.DATABASE_URL is for PostgreSQL: set database=postgres." }}
{{- end }}
{{- if and .Values.secretSettings (not .Values.secretName) }}
{{- fail "Set secretName to the Secret that has the keys named in secretSettings." }}
{{- end }}
{{- if and (eq .Values.database "sqlite") .Values.autoscaling.enabled }}
{{- fail "autoscaling needs several pods: set database=postgres." }}
{{- end }}
{{- range $name, $_ := .Values.settings }}
{{- if has $name (list "HOST" "PORT" "ROSTRUM_DATA_DIR" "ROSTRUM_METRICS_PORT" "ROSTRUM_DRAIN_SECONDS") }}
{{- fail (printf "The chart itself sets %s: leave it out of settings. See drainSeconds and service." $name) }}
{{- end }}
{{- if or (hasSuffix "_FILE" $name) (has $name (list "DATABASE_URL" "ROSTRUM_SECRET_KEY" "ROSTRUM_SECRET_KEY_PREVIOUS" "ROSTRUM_S3_SECRET_ACCESS_KEY" "SMTP_URL")) }}
{{- fail (printf "%s is a secret: put it into a Secret, and name its key in secretSettings.%s." $name (trimSuffix "_FILE" $name)) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The template of a pod, for both kinds of database. */}}
{{- define "rostrum.pod" -}}
metadata:
  labels:
    {{- include "rostrum.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Nothing of it talks to Kubernetes, and a Service called "rostrum" would bring variables that look like settings.
  automountServiceAccountToken: false
  enableServiceLinks: false
  # It drains, and then ends within 20 seconds. It needs no preStop hook: while it drains it accepts requests.
  terminationGracePeriodSeconds: {{ add .Values.drainSeconds 25 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .Values.database "postgres" }}
  topologySpreadConstraints:
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "rostrum.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: rostrum
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      ports:
        - { name: http, containerPort: 4000 }
        - { name: metrics, containerPort: 14000 }
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: "4000" }
        - { name: ROSTRUM_METRICS_PORT, value: "14000" }
        # A folder of its own: the volume's belongs to root.
        - { name: ROSTRUM_DATA_DIR, value: /data/rostrum }
        - { name: ROSTRUM_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
        {{- range $name, $key := .Values.secretSettings }}
        - { name: {{ $name }}_FILE, value: {{ printf "/run/secrets/rostrum/%s" $key | quote }} }
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        {{- /* A number arrives as a float, which would become 1e+06. */}}
        - { name: {{ $name }}, value: {{ ternary (printf "%.0f" (float64 $value)) $value (kindIs "float64" $value) | toString | quote }} }
        {{- end }}
      # A start may migrate the database first.
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: {{ div (add .Values.startSeconds 1) 2 }}
      # Never /readyz: while the database is away, that would restart every pod.
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /readyz, port: metrics }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if .Values.secretName }}
        - { name: secrets, mountPath: /run/secrets/rostrum, readOnly: true }
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.database "postgres" }}
    # What the pod has seen of the database, to notice that it was set back.
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .Values.secretName }}
    - name: secrets
      secret:
        secretName: {{ .Values.secretName }}
        defaultMode: 0440
    {{- end }}
{{- end }}
